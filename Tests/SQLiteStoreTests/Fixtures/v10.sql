BEGIN TRANSACTION;
CREATE TABLE class (
    number INTEGER PRIMARY KEY,
    name   TEXT NOT NULL UNIQUE,
    schema TEXT NOT NULL CHECK (json_valid(schema))
) STRICT;
INSERT INTO "class" VALUES(1,'_File','{"fields":{"key":{"type":"String"},"metaData":{"type":"Object"},"mime_type":{"type":"String"},"name":{"type":"String"},"url":{"type":"String"},"_mirror":{"type":"String"},"censorResult":{"hidden":true,"readOnly":true,"type":"String"}},"indexes":[{"fields":["key"],"unique":true},{"fields":["censorResult","createdAt"],"unique":false}]}');
INSERT INTO "class" VALUES(2,'_User','{"fields":{"_password":{"type":"String"},"authData":{"type":"Object"},"email":{"type":"String"},"emailVerified":{"readOnly":true,"type":"Boolean"},"mobilePhoneNumber":{"type":"String"},"mobilePhoneVerified":{"readOnly":true,"type":"Boolean"},"username":{"type":"String"}},"indexes":[{"fields":["username"],"unique":true},{"fields":["email"],"unique":true},{"fields":["mobilePhoneNumber"],"unique":true}]}');
INSERT INTO "class" VALUES(3,'_Role','{"fields":{"name":{"type":"String"},"roles":{"className":"_Role","type":"Relation"},"users":{"className":"_User","type":"Relation"}},"indexes":[{"fields":["name"],"unique":true}]}');
INSERT INTO "class" VALUES(4,'_Session','{"fields":{"_token":{"type":"String"},"user":{"className":"_User","type":"Pointer"}},"indexes":[{"fields":["_token"],"unique":true},{"fields":["user"],"unique":false}]}');
INSERT INTO "class" VALUES(5,'_Identity','{"fields":{"identity":{"type":"String"},"user":{"className":"_User","type":"Pointer"}},"indexes":[{"fields":["identity"],"unique":true},{"fields":["user"],"unique":false}]}');
INSERT INTO "class" VALUES(6,'_Upload','{"fields":{"_token":{"type":"String"},"expiresAt":{"type":"Date"},"key":{"type":"String"},"metaData":{"type":"Object"},"mime_type":{"type":"String"},"name":{"type":"String"},"size":{"type":"Number"},"state":{"type":"String"}},"indexes":[{"fields":["_token"],"unique":true},{"fields":["expiresAt"],"unique":false},{"fields":["key"],"unique":false}]}');
INSERT INTO "class" VALUES(7,'_UploadPart','{"fields":{"number":{"type":"Number"},"size":{"type":"Number"},"upload":{"className":"_Upload","type":"Pointer"}},"indexes":[{"fields":["upload"],"unique":false}]}');
INSERT INTO "class" VALUES(8,'_Usage','{"fields":{"announced":{"type":"Number"},"bytes":{"type":"Number"},"files":{"type":"Number"},"uploads":{"type":"Number"}},"indexes":[]}');
INSERT INTO "class" VALUES(9,'_Deletion','{"fields":{"key":{"type":"String"}},"indexes":[{"fields":["key"],"unique":false}]}');
INSERT INTO "class" VALUES(10,'_GoneKey','{"fields":{"key":{"type":"String"}},"indexes":[{"fields":["key"],"unique":true}]}');
INSERT INTO "class" VALUES(11,'_CensorJob','{"fields":{"attempts":{"type":"Number"},"awaiting":{"type":"Boolean"},"file":{"type":"String"},"lease":{"type":"String"},"position":{"type":"String"},"run":{"type":"String"},"turn":{"type":"String"},"work":{"type":"String"}},"indexes":[{"fields":["turn"],"unique":false},{"fields":["run"],"unique":false},{"fields":["lease"],"unique":false}]}');
INSERT INTO "class" VALUES(12,'_CensorRun','{"fields":{"decided":{"type":"Number"},"examined":{"type":"Number"},"from":{"type":"Date"},"passed":{"type":"Number"},"position":{"type":"String"},"queued":{"type":"Number"},"recheck":{"type":"Boolean"},"rejected":{"type":"Number"},"review":{"type":"Number"},"state":{"type":"String"},"to":{"type":"Date"},"total":{"type":"Number"}},"indexes":[]}');
INSERT INTO "class" VALUES(13,'_CensorLog','{"fields":{"at":{"type":"String"},"by":{"type":"String"},"event":{"type":"String"},"file":{"type":"String"},"kind":{"type":"String"},"verdict":{"type":"String"}},"indexes":[{"fields":["file"],"unique":false}]}');
INSERT INTO "class" VALUES(14,'_CensorSettings','{"fields":{"auto":{"type":"Boolean"},"hold":{"type":"Boolean"}},"indexes":[]}');
INSERT INTO "class" VALUES(15,'_KnownImage','{"fields":{"file":{"type":"String"},"note":{"type":"String"},"pdq":{"type":"String"},"sha256":{"type":"String"}},"indexes":[{"fields":["sha256"],"unique":false},{"fields":["pdq"],"unique":false},{"fields":["file"],"unique":false}]}');
INSERT INTO "class" VALUES(16,'_Mail','{"fields":{"attempts":{"type":"Number"},"failure":{"type":"String"},"lease":{"type":"String"},"purpose":{"type":"String"},"redirect":{"type":"String"},"since":{"type":"Date"},"to":{"type":"String"},"turn":{"type":"String"},"user":{"className":"_User","type":"Pointer"}},"indexes":[{"fields":["turn"],"unique":false},{"fields":["user"],"unique":false},{"fields":["lease"],"unique":false}]}');
INSERT INTO "class" VALUES(17,'_MailLink','{"fields":{"_token":{"type":"String"},"expiresAt":{"type":"Date"},"purpose":{"type":"String"},"redirect":{"type":"String"},"to":{"type":"String"},"user":{"className":"_User","type":"Pointer"}},"indexes":[{"fields":["_token"],"unique":true},{"fields":["user"],"unique":false},{"fields":["expiresAt"],"unique":false}]}');
INSERT INTO "class" VALUES(18,'_Inbox','{"fields":{"box":{"type":"String"},"last":{"type":"Number"},"read":{"type":"Number"}},"indexes":[{"fields":["box"],"unique":true}]}');
INSERT INTO "class" VALUES(19,'_InboxItem','{"fields":{"delivery":{"type":"String"},"place":{"type":"String"}},"indexes":[{"fields":["place"],"unique":true},{"fields":["delivery"],"unique":true}]}');
INSERT INTO "class" VALUES(20,'_PeopleJob','{"fields":{"attempts":{"type":"Number"},"cursor":{"type":"String"},"delivery":{"type":"Object"},"subject":{"type":"String"},"turn":{"type":"String"},"work":{"type":"String"}},"indexes":[{"fields":["turn"],"unique":false}]}');
INSERT INTO "class" VALUES(21,'_Sms','{"fields":{"attempts":{"type":"Number"},"empty":{"type":"Boolean"},"failure":{"type":"String"},"lease":{"type":"String"},"lifetime":{"type":"Number"},"nonce":{"type":"String"},"number":{"type":"String"},"purpose":{"type":"String"},"sign":{"type":"String"},"since":{"type":"Date"},"template":{"type":"String"},"turn":{"type":"String"},"user":{"className":"_User","type":"Pointer"},"variables":{"type":"Object"},"voice":{"type":"Boolean"}},"indexes":[{"fields":["turn"],"unique":false},{"fields":["user"],"unique":false},{"fields":["lease"],"unique":false}]}');
INSERT INTO "class" VALUES(22,'_SmsCode','{"fields":{"expiresAt":{"type":"Date"},"nonce":{"type":"String"},"number":{"type":"String"},"purpose":{"type":"String"},"target":{"type":"String"},"tries":{"type":"Number"},"user":{"className":"_User","type":"Pointer"}},"indexes":[{"fields":["target"],"unique":true},{"fields":["user"],"unique":false},{"fields":["expiresAt"],"unique":false}]}');
INSERT INTO "class" VALUES(23,'_Captcha','{"fields":{"expiresAt":{"type":"Date"},"nonce":{"type":"String"},"state":{"type":"String"}},"indexes":[{"fields":["nonce"],"unique":true},{"fields":["expiresAt"],"unique":false}]}');
INSERT INTO "class" VALUES(24,'_Installation','{"fields":{"deviceToken":{"type":"String"},"installationId":{"type":"String"}},"indexes":[{"fields":["deviceToken"],"unique":false},{"fields":["installationId"],"unique":false}]}');
INSERT INTO "class" VALUES(25,'_Follower','{"fields":{"follower":{"className":"_User","readOnly":true,"type":"Pointer"},"user":{"className":"_User","readOnly":true,"type":"Pointer"}},"indexes":[{"fields":["user","follower"],"unique":false},{"fields":["follower"],"unique":false},{"fields":["user","objectId"],"unique":false}]}');
INSERT INTO "class" VALUES(26,'_Followee','{"fields":{"followee":{"className":"_User","readOnly":true,"type":"Pointer"},"friendStatus":{"readOnly":true,"type":"Boolean"},"user":{"className":"_User","readOnly":true,"type":"Pointer"}},"indexes":[{"fields":["user","followee"],"unique":false},{"fields":["followee"],"unique":false}]}');
INSERT INTO "class" VALUES(27,'_FriendshipRequest','{"fields":{"friend":{"className":"_User","readOnly":true,"type":"Pointer"},"status":{"readOnly":true,"type":"String"},"user":{"className":"_User","readOnly":true,"type":"Pointer"}},"indexes":[{"fields":["user","friend"],"unique":false},{"fields":["friend"],"unique":false}]}');
INSERT INTO "class" VALUES(28,'_Blocklist','{"fields":{"blockedUser":{"className":"_User","readOnly":true,"type":"Pointer"},"user":{"className":"_User","readOnly":true,"type":"Pointer"}},"indexes":[{"fields":["user","blockedUser"],"unique":false},{"fields":["blockedUser"],"unique":false}]}');
INSERT INTO "class" VALUES(29,'_Status','{"fields":{"inboxType":{"readOnly":true,"type":"String"},"message":{"type":"String"},"source":{"className":"_User","readOnly":true,"type":"Pointer"}},"indexes":[{"fields":["source"],"unique":false}]}');
INSERT INTO "class" VALUES(30,'Folder','{"fields":{"name":{"type":"String"}},"indexes":[]}');
INSERT INTO "class" VALUES(31,'Task','{"fields":{"done":{"type":"Boolean"},"due":{"type":"Date"},"folder":{"className":"Folder","type":"Pointer"},"likes":{"className":"Folder","type":"Relation"},"n":{"type":"Number"},"photo":{"type":"File"},"tags":{"type":"Array"},"title":{"type":"String"},"where":{"type":"GeoPoint"}},"indexes":[]}');
CREATE TABLE class_1 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL
) STRICT;
INSERT INTO "class_1" VALUES(1,'6b0732c7ca3d20844bc8a46b',1795633863791,1795633863791,NULL,'{"_hash":"FvVy05b66SBmKHFPss4A9y6U8iWP","_md5":"b1946ac92492d2347c6235b4d2611184","_size":6,"key":"kkk57zH6tPfvwGzcuJArG8wrhDgElsTD.txt","metaData":{"_checksum":"b1946ac92492d2347c6235b4d2611184","owner":"unknown","size":6},"mime_type":"text/plain","name":"hello.txt"}');
INSERT INTO "class_1" VALUES(2,'6b0732c7ce14041b287bfd3c',1795633863805,1795633863805,'{"*":{"read":true}}','{"_decision":{"at":"2026-11-25T19:11:03.943Z","kind":"person","verdict":"passed"},"_detected":"image/jpeg","_hash":"Fowy1mDCq0xGilTAGqGrkYPqfZtW","_md5":"511130d2072cc744a1fa5015bc23557a","_size":112525,"censorResult":"passed","key":"bJ2TkPqFJ1Y0DTtW99yS2UGmjNbNNmFG.jpg","metaData":{"_checksum":"511130d2072cc744a1fa5015bc23557a","owner":"unknown","size":112525},"mime_type":"image/jpeg","name":"rocket.jpg"}');
INSERT INTO "class_1" VALUES(3,'6b0732c7d126cf925ff287a5',1795633863817,1795633863817,NULL,'{"_hash":"Fto5o-5ea0sNMlW_75VgGJCv2AcJ","_md5":"d41d8cd98f00b204e9800998ecf8427e","_size":0,"key":"cWNhjhoc367DkLvzebe3zHhzXE2NNLYV.bin","metaData":{"_checksum":"d41d8cd98f00b204e9800998ecf8427e","owner":"unknown","size":0},"mime_type":"application/octet-stream","name":"empty.bin"}');
INSERT INTO "class_1" VALUES(4,'6b0732c7d4bcbfb53f198c88',1795633863831,1795633863831,NULL,'{"metaData":{"__source":"external","owner":"unknown"},"name":"logo.png","url":"https://elsewhere.example.org/logo.png"}');
CREATE TABLE class_10 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL
) STRICT;
INSERT INTO "class_10" VALUES(1,'6b0732c7da5e06334cfd07e1',1795633863853,1795633863853,NULL,'{"key":"cgm6QTBD9zOJPeC0R1tT8tAQInsaYUyC.txt"}');
CREATE TABLE class_11 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL
) STRICT;
CREATE TABLE class_12 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL
) STRICT;
CREATE TABLE class_13 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL
) STRICT;
INSERT INTO "class_13" VALUES(1,'6b0732c7f1680acb97fe9018',1795633863943,1795633863943,NULL,'{"at":"2026-11-25T19:11:03.943Z","event":"verdict","file":"6b0732c7ce14041b287bfd3c","kind":"person","verdict":"passed"}');
CREATE TABLE class_14 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL
) STRICT;
CREATE TABLE class_15 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL
) STRICT;
CREATE TABLE class_16 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL
) STRICT;
INSERT INTO "class_16" VALUES(1,'6b0732c7e978cd7bab6a8b40',1795633863912,1795633923925,NULL,'{"attempts":1,"failure":"The mail server cannot be reached.","purpose":"verify","since":{"__type":"Date","iso":"2026-11-25T19:11:03.912Z"},"to":"ann@example.org","turn":"0001795633923925","user":{"__type":"Pointer","className":"_User","objectId":"6b0732c7e9379b3f3668ff10"}}');
INSERT INTO "class_16" VALUES(2,'6b0732c7ef9e50ecdf4484e5',1795633863936,1795633863936,NULL,'{"attempts":0,"purpose":"verify","since":{"__type":"Date","iso":"2026-11-25T19:11:03.936Z"},"to":"ben@example.org","turn":"0001795633863936","user":{"__type":"Pointer","className":"_User","objectId":"6b0732c7ef9daa53c49aed29"}}');
CREATE TABLE class_17 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL
) STRICT;
INSERT INTO "class_17" VALUES(1,'6b0732c7ea3d52c6312425f5',1795633863914,1795633863914,NULL,'{"_token":"a6017197830734083c2847c0e6b5a0f3e782cef1b374ed178ba40b60d018cefe","expiresAt":{"__type":"Date","iso":"2026-12-02T19:11:03.914Z"},"purpose":"verify","to":"ann@example.org","user":{"__type":"Pointer","className":"_User","objectId":"6b0732c7e9379b3f3668ff10"}}');
CREATE TABLE class_18 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL
) STRICT;
INSERT INTO "class_18" VALUES(1,'6b0732c7f53fce723f39bc5c',1795633863957,1795633863957,NULL,'{"box":"6b0732c7e9379b3f3668ff10/default","last":1,"read":0}');
CREATE TABLE class_19 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL
) STRICT;
INSERT INTO "class_19" VALUES(1,'6b0732c7f54017230ed009ac',1795633863957,1795633863957,NULL,'{"delivery":"6b0732c7f4fd3458652f324b/6b0732c7e9379b3f3668ff10","place":"6b0732c7e9379b3f3668ff10/default/000000000000001"}');
CREATE TABLE class_2 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL
) STRICT;
INSERT INTO "class_2" VALUES(1,'6b0732c7e9379b3f3668ff10',1795633863911,1795633863911,NULL,'{"_password":"$scrypt$ln=10,r=8,p=1$YSxBeZw14Jf6EsRDLvMqbw==$z1Ydfu5aQTgKWtC8EMJTqMMcL+SbMBtOtAUEI/eVvkw=","email":"ann@example.org","emailVerified":false,"mobilePhoneVerified":false,"username":"ann"}');
INSERT INTO "class_2" VALUES(2,'6b0732c7ef9daa53c49aed29',1795633863936,1795633863936,NULL,'{"_password":"$scrypt$ln=10,r=8,p=1$t7BedeZmfThNmezGee6BBw==$a33P2RCN+FznQSVxDbh2UpAz1cyUFkcE92FLu9n1OBs=","email":"ben@example.org","emailVerified":false,"mobilePhoneVerified":false,"username":"ben"}');
CREATE TABLE class_20 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL
) STRICT;
CREATE TABLE class_21 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL
) STRICT;
INSERT INTO "class_21" VALUES(1,'6b0732c7f6c9d620952e6c89',1795633863964,1795633863968,NULL,'{"attempts":0,"lifetime":600,"nonce":"tj3t3cp8cp1715indyi22i7b","number":"+12025550123","purpose":"generic","since":{"__type":"Date","iso":"2026-11-25T19:11:03.964Z"},"template":"generic","turn":"0001795633863968","variables":{}}');
CREATE TABLE class_22 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL
) STRICT;
INSERT INTO "class_22" VALUES(1,'6b0732c7f6c820f44651917a',1795633863964,1795633863964,NULL,'{"expiresAt":{"__type":"Date","iso":"2026-11-25T19:21:03.964Z"},"nonce":"tj3t3cp8cp1715indyi22i7b","number":"+12025550123","purpose":"generic","target":"generic +12025550123","tries":0}');
CREATE TABLE class_23 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL
) STRICT;
CREATE TABLE class_24 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL
) STRICT;
CREATE TABLE class_25 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL
) STRICT;
INSERT INTO "class_25" VALUES(1,'6b0732c7f2f1a2f0eab44a17',1795633863949,1795633863949,'{"6b0732c7e9379b3f3668ff10":{"read":true,"write":true},"6b0732c7ef9daa53c49aed29":{"read":true,"write":true}}','{"follower":{"__type":"Pointer","className":"_User","objectId":"6b0732c7e9379b3f3668ff10"},"user":{"__type":"Pointer","className":"_User","objectId":"6b0732c7ef9daa53c49aed29"}}');
CREATE TABLE class_26 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL
) STRICT;
INSERT INTO "class_26" VALUES(1,'6b0732c7f2b0233d4a5b4ba4',1795633863948,1795633863948,'{"6b0732c7e9379b3f3668ff10":{"read":true,"write":true},"6b0732c7ef9daa53c49aed29":{"read":true,"write":true}}','{"followee":{"__type":"Pointer","className":"_User","objectId":"6b0732c7ef9daa53c49aed29"},"user":{"__type":"Pointer","className":"_User","objectId":"6b0732c7e9379b3f3668ff10"}}');
CREATE TABLE class_27 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL
) STRICT;
CREATE TABLE class_28 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL
) STRICT;
CREATE TABLE class_29 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL
) STRICT;
INSERT INTO "class_29" VALUES(1,'6b0732c7f4fd3458652f324b',1795633863957,1795633863957,'{"*":{"read":true},"6b0732c7e9379b3f3668ff10":{"read":true,"write":true}}','{"inboxType":"default","message":"hello","source":{"__type":"Pointer","className":"_User","objectId":"6b0732c7e9379b3f3668ff10"}}');
CREATE TABLE class_3 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL
) STRICT;
INSERT INTO "class_3" VALUES(1,'6b0732c7f0a3b1f4cc5e3ca4',1795633863940,1795633863940,'{"*":{"read":true}}','{"name":"Editors"}');
CREATE TABLE class_30 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL
) STRICT;
INSERT INTO "class_30" VALUES(1,'6b0732c7e083f4fc2bc550eb',1795633863877,1795633863877,NULL,'{"name":"家"}');
CREATE TABLE class_31 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL
) STRICT;
INSERT INTO "class_31" VALUES(1,'6b0732c7e2d0270bbd1fb340',1795633863886,1795633863890,'{"*":{"read":true}}','{"done":false,"due":{"__type":"Date","iso":"2024-03-01T08:00:00.120Z"},"folder":{"__type":"Pointer","className":"Folder","objectId":"6b0732c7e083f4fc2bc550eb"},"n":2,"photo":{"__type":"Pointer","className":"_File","objectId":"6b0732c7ce14041b287bfd3c"},"tags":["a",2.5,null],"title":"洗","where":{"__type":"GeoPoint","latitude":1.5,"longitude":2.0}}');
CREATE TABLE class_4 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL
) STRICT;
INSERT INTO "class_4" VALUES(1,'6b0732c7e9796c555353d2bb',1795633863912,1795633863912,NULL,'{"_token":"5fa651252ca04c143a16fb608a67bd32447731ed81236bf56664e5ba4efcd50a","user":{"__type":"Pointer","className":"_User","objectId":"6b0732c7e9379b3f3668ff10"}}');
INSERT INTO "class_4" VALUES(2,'6b0732c7ef9f51f14623fb81',1795633863936,1795633863936,NULL,'{"_token":"05cd87ddbf7d1007634d8cf15f480181a47908a545b812f9b262127a6e43f4f1","user":{"__type":"Pointer","className":"_User","objectId":"6b0732c7ef9daa53c49aed29"}}');
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
INSERT INTO "class_8" VALUES(1,'usage',1795633863404,1795633863853,NULL,'{"announced":0,"bytes":112531,"files":3,"uploads":0}');
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
INSERT INTO "grdb_migrations" VALUES('v7 censorship');
INSERT INTO "grdb_migrations" VALUES('v8 mail');
INSERT INTO "grdb_migrations" VALUES('v9 people');
INSERT INTO "grdb_migrations" VALUES('v10 sms');
CREATE TABLE relation (
    class  INTEGER NOT NULL,
    key    TEXT NOT NULL,
    owner  TEXT NOT NULL,
    member TEXT NOT NULL,
    PRIMARY KEY (class, key, owner, member)
) STRICT, WITHOUT ROWID;
INSERT INTO "relation" VALUES(3,'users','6b0732c7f0a3b1f4cc5e3ca4','6b0732c7e9379b3f3668ff10');
INSERT INTO "relation" VALUES(31,'likes','6b0732c7e2d0270bbd1fb340','6b0732c7e083f4fc2bc550eb');
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
CREATE INDEX class_11_created ON class_11 (created_at);
CREATE INDEX class_11_updated ON class_11 (updated_at);
CREATE INDEX "class_11 turn" ON class_11 (json_extract(body, '$.turn'));
CREATE INDEX "class_11 run" ON class_11 (json_extract(body, '$.run'));
CREATE INDEX "class_11 lease" ON class_11 (json_extract(body, '$.lease'));
CREATE INDEX class_12_created ON class_12 (created_at);
CREATE INDEX class_12_updated ON class_12 (updated_at);
CREATE INDEX class_13_created ON class_13 (created_at);
CREATE INDEX class_13_updated ON class_13 (updated_at);
CREATE INDEX "class_13 file" ON class_13 (json_extract(body, '$.file'));
CREATE INDEX class_14_created ON class_14 (created_at);
CREATE INDEX class_14_updated ON class_14 (updated_at);
CREATE INDEX class_15_created ON class_15 (created_at);
CREATE INDEX class_15_updated ON class_15 (updated_at);
CREATE INDEX "class_15 sha256" ON class_15 (json_extract(body, '$.sha256'));
CREATE INDEX "class_15 pdq" ON class_15 (json_extract(body, '$.pdq'));
CREATE INDEX "class_15 file" ON class_15 (json_extract(body, '$.file'));
CREATE INDEX "class_1 censor^result,created^at" ON class_1 (json_extract(body, '$.censorResult'), created_at);
CREATE INDEX class_16_created ON class_16 (created_at);
CREATE INDEX class_16_updated ON class_16 (updated_at);
CREATE INDEX "class_16 turn" ON class_16 (json_extract(body, '$.turn'));
CREATE INDEX "class_16 user" ON class_16 (json_extract(body, '$.user'));
CREATE INDEX "class_16 lease" ON class_16 (json_extract(body, '$.lease'));
CREATE INDEX class_17_created ON class_17 (created_at);
CREATE INDEX class_17_updated ON class_17 (updated_at);
CREATE UNIQUE INDEX "class_17 unique _token" ON class_17 (json_extract(body, '$._token'));
CREATE INDEX "class_17 user" ON class_17 (json_extract(body, '$.user'));
CREATE INDEX "class_17 expires^at" ON class_17 (json_extract(body, '$.expiresAt'));
CREATE INDEX class_18_created ON class_18 (created_at);
CREATE INDEX class_18_updated ON class_18 (updated_at);
CREATE UNIQUE INDEX "class_18 unique box" ON class_18 (json_extract(body, '$.box'));
CREATE INDEX class_19_created ON class_19 (created_at);
CREATE INDEX class_19_updated ON class_19 (updated_at);
CREATE UNIQUE INDEX "class_19 unique place" ON class_19 (json_extract(body, '$.place'));
CREATE UNIQUE INDEX "class_19 unique delivery" ON class_19 (json_extract(body, '$.delivery'));
CREATE INDEX class_20_created ON class_20 (created_at);
CREATE INDEX class_20_updated ON class_20 (updated_at);
CREATE INDEX "class_20 turn" ON class_20 (json_extract(body, '$.turn'));
CREATE INDEX class_21_created ON class_21 (created_at);
CREATE INDEX class_21_updated ON class_21 (updated_at);
CREATE INDEX "class_21 turn" ON class_21 (json_extract(body, '$.turn'));
CREATE INDEX "class_21 user" ON class_21 (json_extract(body, '$.user'));
CREATE INDEX "class_21 lease" ON class_21 (json_extract(body, '$.lease'));
CREATE INDEX class_22_created ON class_22 (created_at);
CREATE INDEX class_22_updated ON class_22 (updated_at);
CREATE UNIQUE INDEX "class_22 unique target" ON class_22 (json_extract(body, '$.target'));
CREATE INDEX "class_22 user" ON class_22 (json_extract(body, '$.user'));
CREATE INDEX "class_22 expires^at" ON class_22 (json_extract(body, '$.expiresAt'));
CREATE INDEX class_23_created ON class_23 (created_at);
CREATE INDEX class_23_updated ON class_23 (updated_at);
CREATE UNIQUE INDEX "class_23 unique nonce" ON class_23 (json_extract(body, '$.nonce'));
CREATE INDEX "class_23 expires^at" ON class_23 (json_extract(body, '$.expiresAt'));
CREATE INDEX class_24_created ON class_24 (created_at);
CREATE INDEX class_24_updated ON class_24 (updated_at);
CREATE INDEX "class_24 device^token" ON class_24 (json_extract(body, '$.deviceToken'));
CREATE INDEX "class_24 installation^id" ON class_24 (json_extract(body, '$.installationId'));
CREATE INDEX class_25_created ON class_25 (created_at);
CREATE INDEX class_25_updated ON class_25 (updated_at);
CREATE INDEX "class_25 user,follower" ON class_25 (json_extract(body, '$.user'), json_extract(body, '$.follower'));
CREATE INDEX "class_25 follower" ON class_25 (json_extract(body, '$.follower'));
CREATE INDEX "class_25 user,object^id" ON class_25 (json_extract(body, '$.user'), id);
CREATE INDEX class_26_created ON class_26 (created_at);
CREATE INDEX class_26_updated ON class_26 (updated_at);
CREATE INDEX "class_26 user,followee" ON class_26 (json_extract(body, '$.user'), json_extract(body, '$.followee'));
CREATE INDEX "class_26 followee" ON class_26 (json_extract(body, '$.followee'));
CREATE INDEX class_27_created ON class_27 (created_at);
CREATE INDEX class_27_updated ON class_27 (updated_at);
CREATE INDEX "class_27 user,friend" ON class_27 (json_extract(body, '$.user'), json_extract(body, '$.friend'));
CREATE INDEX "class_27 friend" ON class_27 (json_extract(body, '$.friend'));
CREATE INDEX class_28_created ON class_28 (created_at);
CREATE INDEX class_28_updated ON class_28 (updated_at);
CREATE INDEX "class_28 user,blocked^user" ON class_28 (json_extract(body, '$.user'), json_extract(body, '$.blockedUser'));
CREATE INDEX "class_28 blocked^user" ON class_28 (json_extract(body, '$.blockedUser'));
CREATE INDEX class_29_created ON class_29 (created_at);
CREATE INDEX class_29_updated ON class_29 (updated_at);
CREATE INDEX "class_29 source" ON class_29 (json_extract(body, '$.source'));
CREATE INDEX class_30_created ON class_30 (created_at);
CREATE INDEX class_30_updated ON class_30 (updated_at);
CREATE INDEX class_31_created ON class_31 (created_at);
CREATE INDEX class_31_updated ON class_31 (updated_at);
COMMIT;
