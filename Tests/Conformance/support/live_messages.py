"""The messages of live queries' connections, in each sub-protocol (protocol/data 8.3 to 8.6).

Tests see all of them in the form of `lc.json.3`: `{"cmd": "data", "ids": [...], "msg": [{...}], ...}`.
"""

import base64
import json

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

PROTOBUF, PROTOBUF_1, BASE64, JSON = "lc.protobuf2.3", "lc.protobuf2.1", "lc.proto2base64.3", "lc.json.3"
PROTOCOLS = [PROTOBUF, PROTOBUF_1, BASE64, JSON]

# By their numbers.
COMMANDS = [
    "session", "conv", "direct", "ack", "rcp", "unread", "logs", "error", "login", "data", "room", "read", "presence",
    "report", "echo", "loggedin", "logout", "loggedout", "patch", "pubsub", "blacklist", "goaway",
]

# Enumerations are declared as numbers, which are the same bytes, so that tests can send unknown ones.
DECLARATIONS = {
    "JsonObjectMessage": {"data": (1, "required string")},
    "DataCommand": {"ids": (1, "repeated string"), "msg": (2, "repeated JsonObjectMessage"), "offline": (3, "optional bool")},
    "ErrorCommand": {
        "code": (1, "required int32"), "reason": (2, "required string"), "appCode": (3, "optional int32"),
        "detail": (4, "optional string"), "pids": (5, "repeated string"), "appMsg": (6, "optional string"),
    },
    "AckCommand": {"ids": (10, "repeated string")},
    "LoggedinCommand": {"pushDisabled": (1, "optional bool")},
    "GenericCommand": {
        "cmd": (1, "optional int32"), "op": (2, "optional int32"), "appId": (3, "optional string"),
        "peerId": (4, "optional string"), "i": (5, "optional int32"), "installationId": (6, "optional string"),
        "priority": (7, "optional int32"), "service": (8, "optional int32"), "serverTs": (9, "optional int64"),
        "clientTs": (10, "optional int64"), "notificationType": (11, "optional int32"),
        "dataMessage": (101, "optional DataCommand"), "errorMessage": (103, "optional ErrorCommand"),
        "ackMessage": (105, "optional AckCommand"), "loggedinMessage": (117, "optional LoggedinCommand"),
    },
}


def declared():
    """The class of a generic command, made from the declarations."""
    file = descriptor_pb2.FileDescriptorProto(name="live.proto", package="live", syntax="proto2")
    kinds = descriptor_pb2.FieldDescriptorProto
    for name, fields in DECLARATIONS.items():
        message = file.message_type.add(name=name)
        for field, (number, declaration) in fields.items():
            label, type = declaration.split()
            kind = {"type_name": f".live.{type}"} if type in DECLARATIONS else {"type": getattr(kinds, f"TYPE_{type.upper()}")}
            message.field.add(name=field, number=number, label=getattr(kinds, f"LABEL_{label.upper()}"), **kind)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("live.GenericCommand"))


GenericCommand = declared()


def encode(command, protocol):
    """The frame's content: text or bytes, as the sub-protocol has them."""
    if protocol == JSON:
        return json.dumps(command, separators=(",", ":"), ensure_ascii=False)
    data = to_protobuf(command).SerializeToString()
    return base64.b64encode(data).decode() if protocol == BASE64 else data


def decode(content, protocol):
    """What a frame of the server says."""
    # A text frame in one kind of sub-protocol, a binary one in the other.
    assert isinstance(content, bytes) == (protocol in (PROTOBUF, PROTOBUF_1)), content
    if protocol == JSON:
        return json.loads(content)
    return from_protobuf(base64.b64decode(content, validate=True) if protocol == BASE64 else content)


def to_protobuf(command):
    command = dict(command)
    if isinstance(command.get("cmd"), str):
        command["cmd"] = COMMANDS.index(command["cmd"])
    if "ids" in command:
        command["ackMessage"] = {"ids": command.pop("ids")}
    return GenericCommand(**command)


def from_protobuf(data):
    message = GenericCommand.FromString(data)
    assert not list(unknown_fields(message)), message
    command = {}
    for field, value in message.ListFields():
        if field.name == "cmd":
            command["cmd"] = COMMANDS[value]
        elif field.name == "dataMessage":
            command |= {"ids": list(value.ids), "msg": [json.loads(one.data) for one in value.msg]}
        elif field.name == "errorMessage":
            assert value.HasField("code") and value.HasField("reason"), message
            command["error"] = {part.name: content for part, content in value.ListFields()}
        elif field.message_type:
            command[field.name] = {part.name: content for part, content in value.ListFields()}
        else:
            command[field.name] = value
    return command


def unknown_fields(message):
    from google.protobuf.unknown_fields import UnknownFieldSet
    return [field.field_number for field in UnknownFieldSet(message)]


# Bytes of messages, for what no library sends

def varint(number):
    """A number as protobuf has it; a negative one takes ten bytes."""
    number &= (1 << 64) - 1
    parts = []
    while number > 0x7F:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*parts, number])


def packed(*fields):
    """A message from (number, value) in this order; texts and bytes have their length before them."""
    data = b""
    for number, value in fields:
        if isinstance(value, int):
            data += varint(number << 3) + varint(value)
        else:
            value = value.encode() if isinstance(value, str) else value
            data += varint(number << 3 | 2) + varint(len(value)) + value
    return data
