/// The kinds of file systems by what they mean for a storage.
enum FileSystemKind: Equatable {
    /// A local disk.
    case disk(String)
    /// Memory, empty after a restart of the machine.
    case memory(String)
    /// Other machines write to it; SQLite's log needs memory that all processes share.
    case network(String)
    /// The writable layer of a container.
    case overlay
    /// A program serves it; what a sync means depends on that program.
    case program
    case unknown

    /// - Parameter magic: `f_type` of statfs(2), from the kernel's <linux/magic.h>.
    init(magic: Int64) {
        self =
            switch magic & 0xFFFF_FFFF {
            case 0xEF53: .disk("ext4")
            case 0x5846_5342: .disk("XFS")
            case 0x9123_683E: .disk("Btrfs")
            case 0x2FC1_2FC1: .disk("ZFS")
            case 0xF2F5_2010: .disk("F2FS")
            case 0xCA45_1A4E: .disk("bcachefs")
            case 0x0102_1994: .memory("tmpfs")
            case 0x8584_58F6: .memory("ramfs")
            case 0x6969: .network("NFS")
            case 0xFF53_4D42, 0xFE53_4D42, 0x517B: .network("SMB")
            case 0x00C3_6400: .network("Ceph")
            case 0x0102_1997: .network("9P")
            case 0x794C_7630: .overlay
            case 0x6573_5546: .program
            default: .unknown
            }
    }
}
