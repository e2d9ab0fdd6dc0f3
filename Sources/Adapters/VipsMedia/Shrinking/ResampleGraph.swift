internal import CZimg
internal import Domain

/// The zimg filter graph for one source and one size.
struct ResampleGraph: ~Copyable {
    let pointer: OpaquePointer

    /// Before 3.0.4, zimg used a wrong part of subsampled planes.
    private static let isExact: Bool = {
        var (major, minor, micro): (CUnsignedInt, CUnsignedInt, CUnsignedInt) = (0, 0, 0)
        zimg_get_version_info(&major, &minor, &micro)
        return (major, minor, micro) >= (3, 0, 4)
    }()

    /// Builds the graph; `nil` if zimg refuses or is too old.
    init?(_ source: PlaneResampler.Source, to size: ImageSize) {
        guard ResampleGraph.isExact else { return nil }
        var from = ResampleGraph.format(source.paddedSize)
        var to = ResampleGraph.format(size)
        from.active_region.left = 0
        from.active_region.top = 0
        from.active_region.width = source.region.width
        from.active_region.height = source.region.height
        if let shifts = source.subsampling.shifts {
            ResampleGraph.makeColor(&to)
            ResampleGraph.makeColor(&from)
            if !source.isInLines {
                from.color_family = ZIMG_COLOR_YUV
                // JFIF uses the matrix of ITU-R BT.601, and its chroma samples are centred.
                from.matrix_coefficients = ZIMG_MATRIX_BT470_BG
                from.chroma_location = ZIMG_CHROMA_CENTER
                from.subsample_w = CUnsignedInt(shifts.across)
                from.subsample_h = CUnsignedInt(shifts.down)
            }
        }
        var parameters = zimg_graph_builder_params()
        zimg_graph_builder_params_default(&parameters, czimg_version())
        parameters.resample_filter = ZIMG_RESIZE_LANCZOS
        parameters.resample_filter_uv = ZIMG_RESIZE_LANCZOS
        parameters.filter_param_a = 3
        parameters.filter_param_a_uv = 3
        guard let pointer = zimg_filter_graph_build(&from, &to, &parameters) else { return nil }
        self.pointer = pointer
    }

    deinit {
        zimg_filter_graph_free(pointer)
    }

    /// The memory that a run of the graph needs; `nil` if zimg does not report it.
    func needs() -> Needs? {
        var temporary = 0
        var (incoming, outgoing): (CUnsignedInt, CUnsignedInt) = (0, 0)
        guard zimg_filter_graph_get_tmp_size(pointer, &temporary) == ZIMG_ERROR_SUCCESS,
            zimg_filter_graph_get_input_buffering(pointer, &incoming) == ZIMG_ERROR_SUCCESS,
            zimg_filter_graph_get_output_buffering(pointer, &outgoing) == ZIMG_ERROR_SUCCESS
        else { return nil }
        return Needs(
            temporary: temporary,
            incomingMask: zimg_select_buffer_mask(incoming),
            outgoingMask: zimg_select_buffer_mask(outgoing)
        )
    }

    /// Runs the graph from top to bottom; returns `false` if a callback stops it.
    func run(
        _ source: inout zimg_image_buffer_const,
        _ target: inout zimg_image_buffer,
        temporary: borrowing AlignedMemory,
        rows: ResampleRows
    ) -> Bool {
        let memory = temporary.bytes.baseAddress
        return withUnsafePointer(to: rows) { rows in
            // The callbacks only read the object at this pointer.
            let user = UnsafeMutableRawPointer(mutating: rows)
            let join: zimg_filter_graph_callback = { user, row, left, right in
                guard let rows = user?.assumingMemoryBound(to: ResampleRows.self) else { return 1 }
                return rows.pointee.join(row: Int(row), from: Int(left), to: Int(right)) ? 0 : 1
            }
            guard rows.pointee.lines != nil else {
                return zimg_filter_graph_process(pointer, &source, &target, memory, nil, nil, join, user)
                    == ZIMG_ERROR_SUCCESS
            }
            let split: zimg_filter_graph_callback = { user, row, left, right in
                guard let rows = user?.assumingMemoryBound(to: ResampleRows.self) else { return 1 }
                return rows.pointee.split(row: Int(row), from: Int(left), to: Int(right)) ? 0 : 1
            }
            return zimg_filter_graph_process(pointer, &source, &target, memory, split, user, join, user)
                == ZIMG_ERROR_SUCCESS
        }
    }

    private static func format(_ size: ImageSize) -> zimg_image_format {
        var format = zimg_image_format()
        zimg_image_format_default(&format, czimg_version())
        format.width = CUnsignedInt(size.width)
        format.height = CUnsignedInt(size.height)
        format.pixel_type = ZIMG_PIXEL_BYTE
        format.pixel_range = ZIMG_RANGE_FULL
        return format
    }

    private static func makeColor(_ format: inout zimg_image_format) {
        format.color_family = ZIMG_COLOR_RGB
        format.matrix_coefficients = ZIMG_MATRIX_RGB
        format.transfer_characteristics = ZIMG_TRANSFER_IEC_61966_2_1
        format.color_primaries = ZIMG_PRIMARIES_BT709
    }

    /// The memory that a run needs.
    ///
    /// A mask is the number of rows in a ring buffer, a power of two, minus one; all bits are set for a whole plane.
    struct Needs: Sendable {
        let temporary: Int
        let incomingMask: CUnsignedInt
        let outgoingMask: CUnsignedInt
    }
}
