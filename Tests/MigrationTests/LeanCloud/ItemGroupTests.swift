import Testing

@testable import Migration

@Suite struct ItemGroupTests {
    @Test(
        "the kind and the name of an item decide its group",
        arguments: [
            ("Post", "64f0c1a2b3d4e5f60123456c", .object), ("_File", "64f0c1a2b3d4e5f60123456c", .object),
            ("file", "photos/a.jpg", .object), ("users _User", "64f0c1a2b3d4e5f60123456c", .object),
            ("_Join:likes:Post", "64f0c1a2b3d4e5f60123456c to 64f0c1a2b3d4e5f60123456d", .relation),
            ("schema", "Post.title", .classSetting), ("schema rules", "Post.title", .classSetting),
            ("indexes", "Post: title", .classSetting), ("permissions", "Post: find", .classSetting),
            ("permissions", "64f0c1a2b3d4e5f60123456c", .object),
        ] as [(String, String, ItemGroup)]
    )
    func groups(kind: String, name: String, group: ItemGroup) {
        #expect(ItemGroup(kind: kind, name: name) == group)
    }
}
