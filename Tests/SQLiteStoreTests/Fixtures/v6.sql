BEGIN TRANSACTION;
CREATE TABLE class (
    number INTEGER PRIMARY KEY,
    name   TEXT NOT NULL UNIQUE,
    schema TEXT NOT NULL CHECK (json_valid(schema))
) STRICT;
INSERT INTO "class" VALUES(1,'_File','{"fields":{"key":{"type":"String"},"metaData":{"type":"Object"},"mime_type":{"type":"String"},"name":{"type":"String"},"url":{"type":"String"},"_mirror":{"type":"String"}},"indexes":[{"fields":["key"],"unique":true}]}');
INSERT INTO "class" VALUES(2,'_User','{"fields":{"_password":{"type":"String"},"authData":{"type":"Object"},"email":{"type":"String"},"emailVerified":{"readOnly":true,"type":"Boolean"},"mobilePhoneNumber":{"type":"String"},"mobilePhoneVerified":{"readOnly":true,"type":"Boolean"},"username":{"type":"String"}},"indexes":[{"fields":["username"],"unique":true},{"fields":["email"],"unique":true},{"fields":["mobilePhoneNumber"],"unique":true}]}');
INSERT INTO "class" VALUES(3,'_Role','{"fields":{"name":{"type":"String"},"roles":{"className":"_Role","type":"Relation"},"users":{"className":"_User","type":"Relation"}},"indexes":[{"fields":["name"],"unique":true}]}');
INSERT INTO "class" VALUES(4,'_Session','{"fields":{"_token":{"type":"String"},"user":{"className":"_User","type":"Pointer"}},"indexes":[{"fields":["_token"],"unique":true},{"fields":["user"],"unique":false}]}');
INSERT INTO "class" VALUES(5,'_Identity','{"fields":{"identity":{"type":"String"},"user":{"className":"_User","type":"Pointer"}},"indexes":[{"fields":["identity"],"unique":true},{"fields":["user"],"unique":false}]}');
INSERT INTO "class" VALUES(6,'_Upload','{"fields":{"_token":{"type":"String"},"expiresAt":{"type":"Date"},"key":{"type":"String"},"metaData":{"type":"Object"},"mime_type":{"type":"String"},"name":{"type":"String"},"size":{"type":"Number"},"state":{"type":"String"}},"indexes":[{"fields":["_token"],"unique":true},{"fields":["expiresAt"],"unique":false},{"fields":["key"],"unique":false}]}');
INSERT INTO "class" VALUES(7,'_UploadPart','{"fields":{"number":{"type":"Number"},"size":{"type":"Number"},"upload":{"className":"_Upload","type":"Pointer"}},"indexes":[{"fields":["upload"],"unique":false}]}');
INSERT INTO "class" VALUES(8,'_Usage','{"fields":{"announced":{"type":"Number"},"bytes":{"type":"Number"},"files":{"type":"Number"},"uploads":{"type":"Number"}},"indexes":[]}');
INSERT INTO "class" VALUES(9,'_Deletion','{"fields":{"key":{"type":"String"}},"indexes":[{"fields":["key"],"unique":false}]}');
INSERT INTO "class" VALUES(10,'_GoneKey','{"fields":{"key":{"type":"String"}},"indexes":[{"fields":["key"],"unique":true}]}');
INSERT INTO "class" VALUES(18,'Folder','{"fields":{"name":{"type":"String"}},"indexes":[]}');
INSERT INTO "class" VALUES(19,'Task','{"fields":{"done":{"type":"Boolean"},"due":{"type":"Date"},"folder":{"className":"Folder","type":"Pointer"},"likes":{"className":"Folder","type":"Relation"},"n":{"type":"Number"},"photo":{"type":"File"},"tags":{"type":"Array"},"title":{"type":"String"},"where":{"type":"GeoPoint"}},"indexes":[]}');
CREATE TABLE class_1 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL
) STRICT;
INSERT INTO "class_1" VALUES(1,'6b0732b77a5ec27ef0a61773',1795633847478,1795633847478,NULL,'{"_hash":"FvVy05b66SBmKHFPss4A9y6U8iWP","_md5":"b1946ac92492d2347c6235b4d2611184","_size":6,"key":"2mERm1XVh5AyjHDCl7Qw3WGr9EDZCnie.txt","metaData":{"_checksum":"b1946ac92492d2347c6235b4d2611184","owner":"unknown","size":6},"mime_type":"text/plain","name":"hello.txt"}');
INSERT INTO "class_1" VALUES(2,'6b0732b77ba509efd5665d37',1795633847483,1795633847483,'{"*":{"read":true}}','{"_detected":"image/jpeg","_hash":"Fowy1mDCq0xGilTAGqGrkYPqfZtW","_md5":"511130d2072cc744a1fa5015bc23557a","_size":112525,"key":"jCgeugBkYc2pqRRy9pf7MhvbceO1aXNx.jpg","metaData":{"_checksum":"511130d2072cc744a1fa5015bc23557a","owner":"unknown","size":112525},"mime_type":"image/jpeg","name":"rocket.jpg"}');
INSERT INTO "class_1" VALUES(3,'6b0732b77c2823533988a1c5',1795633847485,1795633847485,NULL,'{"_hash":"Fto5o-5ea0sNMlW_75VgGJCv2AcJ","_md5":"d41d8cd98f00b204e9800998ecf8427e","_size":0,"key":"sdPs1mDHufK3oOAWe4cYEyjj4yTSvzxH.bin","metaData":{"_checksum":"d41d8cd98f00b204e9800998ecf8427e","owner":"unknown","size":0},"mime_type":"application/octet-stream","name":"empty.bin"}');
INSERT INTO "class_1" VALUES(4,'6b0732b77cac6e0b42e2948b',1795633847487,1795633847487,NULL,'{"metaData":{"__source":"external","owner":"unknown"},"name":"logo.png","url":"https://elsewhere.example.org/logo.png"}');
CREATE TABLE class_10 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL
) STRICT;
INSERT INTO "class_10" VALUES(1,'6b0732b77df33aa8a85b4a6d',1795633847492,1795633847492,NULL,'{"key":"VmELxUWWXCllVQwWJKqGxKUOKFQxhaap.txt"}');
CREATE TABLE class_18 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL
) STRICT;
INSERT INTO "class_18" VALUES(1,'6b0732b781ca3fa3eee8d154',1795633847507,1795633847507,NULL,'{"name":"家"}');
CREATE TABLE class_19 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL
) STRICT;
INSERT INTO "class_19" VALUES(1,'6b0732b7820cc98f4d3a0f0c',1795633847508,1795633847510,'{"*":{"read":true}}','{"done":false,"due":{"__type":"Date","iso":"2024-03-01T08:00:00.120Z"},"folder":{"__type":"Pointer","className":"Folder","objectId":"6b0732b781ca3fa3eee8d154"},"n":2,"photo":{"__type":"Pointer","className":"_File","objectId":"6b0732b77ba509efd5665d37"},"tags":["a",2.5,null],"title":"洗","where":{"__type":"GeoPoint","latitude":1.5,"longitude":2.0}}');
CREATE TABLE class_2 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL
) STRICT;
INSERT INTO "class_2" VALUES(1,'6b0732b783533488d2740ad7',1795633847513,1795633847513,NULL,'{"_password":"$scrypt$ln=10,r=8,p=1$TBXiyN5KFBkA1THt7Ra7cQ==$Sh4rgACxeumKggfUgOLF44FmJeSw9BJkOQ7glSiwof8=","email":"ann@example.org","emailVerified":false,"mobilePhoneVerified":false,"username":"ann"}');
INSERT INTO "class_2" VALUES(2,'6b0732b784dd7ca9af117252',1795633847519,1795633847519,NULL,'{"_password":"$scrypt$ln=10,r=8,p=1$2PUancSONzuPt3kHsiZ8iw==$NR+NhMAqxL6mVmqDN9f8U+4vZFNoXqXWBlAWM+c94Jc=","email":"ben@example.org","emailVerified":false,"mobilePhoneVerified":false,"username":"ben"}');
CREATE TABLE class_3 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL
) STRICT;
INSERT INTO "class_3" VALUES(1,'6b0732b78560a88e387a5dd0',1795633847521,1795633847521,'{"*":{"read":true}}','{"name":"Editors"}');
CREATE TABLE class_4 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL
) STRICT;
INSERT INTO "class_4" VALUES(1,'6b0732b78355cb4b8fee9eff',1795633847513,1795633847513,NULL,'{"_token":"46358f8dc1463112955ef6d305b08bb9cc8109abcbc5c8879f6d0674082fd06f","user":{"__type":"Pointer","className":"_User","objectId":"6b0732b783533488d2740ad7"}}');
INSERT INTO "class_4" VALUES(2,'6b0732b784df1b25d120a460',1795633847519,1795633847519,NULL,'{"_token":"65b52dca49668a24fe15cc3b790bbe217e9d7b13bb0caea4560bec302a4137ef","user":{"__type":"Pointer","className":"_User","objectId":"6b0732b784dd7ca9af117252"}}');
CREATE TABLE class_5 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL
) STRICT;
CREATE TABLE class_6 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL
) STRICT;
CREATE TABLE class_7 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL
) STRICT;
CREATE TABLE class_8 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL
) STRICT;
INSERT INTO "class_8" VALUES(1,'usage',1795633847338,1795633847492,NULL,'{"announced":0,"bytes":112531,"files":3,"uploads":0}');
CREATE TABLE class_9 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL
) STRICT;
CREATE TABLE counter (
    class INTEGER NOT NULL,
    field TEXT NOT NULL,
    last  INTEGER NOT NULL,
    PRIMARY KEY (class, field)
) STRICT, WITHOUT ROWID;
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO "grdb_migrations" VALUES('v1 files');
INSERT INTO "grdb_migrations" VALUES('v2 objects');
INSERT INTO "grdb_migrations" VALUES('v3 accounts');
INSERT INTO "grdb_migrations" VALUES('v4 uploads');
INSERT INTO "grdb_migrations" VALUES('v5 deletions');
INSERT INTO "grdb_migrations" VALUES('v6 mirror');
CREATE TABLE relation (
    class  INTEGER NOT NULL,
    key    TEXT NOT NULL,
    owner  TEXT NOT NULL,
    member TEXT NOT NULL,
    PRIMARY KEY (class, key, owner, member)
) STRICT, WITHOUT ROWID;
INSERT INTO "relation" VALUES(3,'users','6b0732b78560a88e387a5dd0','6b0732b783533488d2740ad7');
INSERT INTO "relation" VALUES(19,'likes','6b0732b7820cc98f4d3a0f0c','6b0732b781ca3fa3eee8d154');
CREATE INDEX relation_member ON relation (class, key, member, owner);
CREATE INDEX class_1_created ON class_1 (created_at);
CREATE INDEX class_1_updated ON class_1 (updated_at);
CREATE UNIQUE INDEX "class_1 unique key" ON class_1 (json_extract(body, '$.key'));
CREATE INDEX class_2_created ON class_2 (created_at);
CREATE INDEX class_2_updated ON class_2 (updated_at);
CREATE UNIQUE INDEX "class_2 unique username" ON class_2 (json_extract(body, '$.username'));
CREATE UNIQUE INDEX "class_2 unique email" ON class_2 (json_extract(body, '$.email'));
CREATE UNIQUE INDEX "class_2 unique mobile^phone^number" ON class_2 (json_extract(body, '$.mobilePhoneNumber'));
CREATE INDEX class_3_created ON class_3 (created_at);
CREATE INDEX class_3_updated ON class_3 (updated_at);
CREATE UNIQUE INDEX "class_3 unique name" ON class_3 (json_extract(body, '$.name'));
CREATE INDEX class_4_created ON class_4 (created_at);
CREATE INDEX class_4_updated ON class_4 (updated_at);
CREATE UNIQUE INDEX "class_4 unique _token" ON class_4 (json_extract(body, '$._token'));
CREATE INDEX "class_4 user" ON class_4 (json_extract(body, '$.user'));
CREATE INDEX class_5_created ON class_5 (created_at);
CREATE INDEX class_5_updated ON class_5 (updated_at);
CREATE UNIQUE INDEX "class_5 unique identity" ON class_5 (json_extract(body, '$.identity'));
CREATE INDEX "class_5 user" ON class_5 (json_extract(body, '$.user'));
CREATE INDEX class_6_created ON class_6 (created_at);
CREATE INDEX class_6_updated ON class_6 (updated_at);
CREATE UNIQUE INDEX "class_6 unique _token" ON class_6 (json_extract(body, '$._token'));
CREATE INDEX "class_6 expires^at" ON class_6 (json_extract(body, '$.expiresAt'));
CREATE INDEX "class_6 key" ON class_6 (json_extract(body, '$.key'));
CREATE INDEX class_7_created ON class_7 (created_at);
CREATE INDEX class_7_updated ON class_7 (updated_at);
CREATE INDEX "class_7 upload" ON class_7 (json_extract(body, '$.upload'));
CREATE INDEX class_8_created ON class_8 (created_at);
CREATE INDEX class_8_updated ON class_8 (updated_at);
CREATE INDEX class_9_created ON class_9 (created_at);
CREATE INDEX class_9_updated ON class_9 (updated_at);
CREATE INDEX "class_9 key" ON class_9 (json_extract(body, '$.key'));
CREATE INDEX class_10_created ON class_10 (created_at);
CREATE INDEX class_10_updated ON class_10 (updated_at);
CREATE UNIQUE INDEX "class_10 unique key" ON class_10 (json_extract(body, '$.key'));
CREATE INDEX class_18_created ON class_18 (created_at);
CREATE INDEX class_18_updated ON class_18 (updated_at);
CREATE INDEX class_19_created ON class_19 (created_at);
CREATE INDEX class_19_updated ON class_19 (updated_at);
COMMIT;
