import Domain
import Glibc
import NIOCore
import Testing

@testable import HTTPAPI

/// What reaches a client past NIO's queue, and what waits in it.
@Suite struct SocketOutputTests {
    private static let long = String(repeating: "long ", count: SocketPair.room)

    @Test("a head and its body arrive at once")
    func both() async throws {
        let pair = try await SocketPair()
        let isSent = try await pair.withOutput { output, _ in
            output.send(ByteBuffer(string: "head "), ByteBuffer(string: "body"))
        }
        #expect(isSent)
        #expect(pair.receive(9) == "head body")
    }

    @Test("a head without a body arrives")
    func head() async throws {
        let pair = try await SocketPair()
        #expect(try await pair.withOutput { output, _ in output.send(ByteBuffer(string: "head")) })
        #expect(pair.receive(4) == "head")
    }

    @Test("the bytes that the socket does not accept follow through the queue, of the body or of the head")
    func rest() async throws {
        for (head, body) in [("head ", Self.long), (Self.long, "body"), (Self.long, Self.long)] {
            let pair = try await SocketPair()
            let (isSent, sent) = try await pair.withOutput { output, _ in
                let isSent = output.send(ByteBuffer(string: head), ByteBuffer(string: body))
                return (isSent, output.sentAll())
            }
            #expect(!isSent)
            let received = pair.receive(head.utf8.count + body.utf8.count)
            #expect(received.lowercased() == head + body)
            #expect(received.hasPrefix(head.prefix(1)) && received.hasSuffix(body.suffix(1).uppercased()))
            try await sent.get()
        }
    }

    @Test("bytes wait behind those of other handlers")
    func order() async throws {
        for first in ["first", Self.long] {
            let pair = try await SocketPair()
            _ = try await pair.withOutput { output, context in
                output.noteWrite()
                context.write(NIOAny(IOData.byteBuffer(ByteBuffer(string: first))), promise: nil)
                return output.send(ByteBuffer(string: "head "), ByteBuffer(string: "body"))
            }
            #expect(pair.receive(first.utf8.count + 9) == (first + "head body").uppercased())
            // The queue is empty now, so the next bytes go past it.
            try await pair.withOutput { output, _ in output.sentAll() }.get()
            #expect(try await pair.withOutput { output, _ in output.send(ByteBuffer(string: "next")) })
            #expect(pair.receive(4) == "next")
        }
    }

    @Test("bytes that change on their way take the queue")
    func encrypted() async throws {
        let pair = try await SocketPair()
        _ = try await pair.withOutput(isEncrypted: true) { output, _ in
            #expect(!output.isDirect)
            return output.send(ByteBuffer(string: "head "), ByteBuffer(string: "body"))
        }
        #expect(pair.receive(9) == "HEAD BODY")
    }

    @Test("a client that has left fails the bytes, and its connection is closed")
    func gone() async throws {
        let pair = try await SocketPair()
        let (isSent, sent) = try await pair.withOutput { output, _ in
            pair.leave()
            return (output.send(ByteBuffer(string: "head")), output.sentAll())
        }
        #expect(!isSent)
        await #expect(throws: (any Error).self) { try await sent.get() }
        try await pair.channel.closeFuture.get()
    }

    @Test("nothing is sent after the end, when another connection has the descriptor")
    func closed() async throws {
        let pair = try await SocketPair()
        let (isSent, file, others) = try await pair.withOutput { output, context in
            context.close(promise: nil)
            // They get the lowest free descriptors.
            var others: [CInt] = [-1, -1]
            try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &others) == 0)
            let head = ByteBuffer(string: "head")
            let file = try openFile("body").withDescriptor { output.send(head, before: $0, 4) }
            return (output.send(head), file, others)
        }
        #expect(!isSent && file == nil)
        var byte: UInt8 = 0
        let received = others.map { recv($0, &byte, 1, CInt(MSG_DONTWAIT)) }
        #expect(received == [-1, -1])
        for other in others { close(other) }
    }

    // MARK: Files

    @Test("a head and its file arrive at once")
    func file() async throws {
        let pair = try await SocketPair()
        let sent = try await pair.withOutput { output, _ in
            try openFile("body").withDescriptor { output.send(ByteBuffer(string: "head "), before: $0, 4) }
        }
        #expect(sent == 4)
        #expect(pair.receive(9) == "head body")
    }

    @Test("what the socket accepts of a file is counted")
    func longFile() async throws {
        let pair = try await SocketPair()
        let size = Int64(Self.long.utf8.count)
        let sent = try await pair.withOutput { output, _ in
            try openFile(Self.long).withDescriptor { output.send(ByteBuffer(string: "head "), before: $0, size) }
        }
        let count = try #require(sent)
        #expect(count > 0 && count < size)
        #expect(pair.receive(5 + Int(count)) == "head " + Self.long.prefix(Int(count)))
        #expect(pair.isEmpty)
    }

    @Test("no byte of a file is counted as sent if the head waits")
    func longHead() async throws {
        let pair = try await SocketPair()
        let sent = try await pair.withOutput { output, context in
            let sent = try openFile("body").withDescriptor {
                output.send(ByteBuffer(string: Self.long), before: $0, 4)
            }
            context.flush()
            return sent
        }
        #expect(sent == 0)
        #expect(pair.receive(Self.long.utf8.count).lowercased() == Self.long)
    }

    @Test("nothing is sent before the bytes of other handlers")
    func orderOfFile() async throws {
        let pair = try await SocketPair()
        let sent = try await pair.withOutput { output, context in
            output.noteWrite()
            context.write(NIOAny(IOData.byteBuffer(ByteBuffer(string: "first"))), promise: nil)
            let sent = try openFile("body").withDescriptor { output.send(ByteBuffer(string: "head"), before: $0, 4) }
            context.flush()
            return sent
        }
        #expect(sent == nil)
        #expect(pair.receive(5) == "FIRST")
        #expect(pair.isEmpty)
    }
}
