BEGIN TRANSACTION;
CREATE TABLE checksum_backlog (
    class INTEGER PRIMARY KEY,
    last  INTEGER NOT NULL
) STRICT;
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
INSERT INTO "class" VALUES(8,'_Usage','{"fields":{"announced":{"type":"Number"},"bytes":{"type":"Number"},"files":{"type":"Number"},"uploads":{"type":"Number"},"trashBytes":{"type":"Number"},"trashFiles":{"type":"Number"}},"indexes":[]}');
INSERT INTO "class" VALUES(9,'_Deletion','{"fields":{"key":{"type":"String"},"trash":{"type":"Boolean"}},"indexes":[{"fields":["key"],"unique":false}]}');
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
INSERT INTO "class" VALUES(24,'_Damage','{"fields":{"detail":{"type":"String"},"file":{"type":"String"},"identity":{"type":"String"},"kind":{"type":"String"},"position":{"type":"String"},"subject":{"type":"String"}},"indexes":[{"fields":["subject"],"unique":true},{"fields":["kind"],"unique":false}]}');
INSERT INTO "class" VALUES(25,'_Trash','{"fields":{"by":{"type":"String"},"expiresAt":{"type":"Date"},"file":{"type":"String"},"key":{"type":"String"},"name":{"type":"String"},"reason":{"type":"String"},"size":{"type":"Number"}},"indexes":[{"fields":["file"],"unique":false},{"fields":["expiresAt"],"unique":false}]}');
INSERT INTO "class" VALUES(26,'_Installation','{"fields":{"deviceToken":{"type":"String"},"installationId":{"type":"String"}},"indexes":[{"fields":["deviceToken"],"unique":false},{"fields":["installationId"],"unique":false}]}');
INSERT INTO "class" VALUES(27,'_Follower','{"fields":{"follower":{"className":"_User","readOnly":true,"type":"Pointer"},"user":{"className":"_User","readOnly":true,"type":"Pointer"}},"indexes":[{"fields":["user","follower"],"unique":false},{"fields":["follower"],"unique":false},{"fields":["user","objectId"],"unique":false}]}');
INSERT INTO "class" VALUES(28,'_Followee','{"fields":{"followee":{"className":"_User","readOnly":true,"type":"Pointer"},"friendStatus":{"readOnly":true,"type":"Boolean"},"user":{"className":"_User","readOnly":true,"type":"Pointer"}},"indexes":[{"fields":["user","followee"],"unique":false},{"fields":["followee"],"unique":false}]}');
INSERT INTO "class" VALUES(29,'_FriendshipRequest','{"fields":{"friend":{"className":"_User","readOnly":true,"type":"Pointer"},"status":{"readOnly":true,"type":"String"},"user":{"className":"_User","readOnly":true,"type":"Pointer"}},"indexes":[{"fields":["user","friend"],"unique":false},{"fields":["friend"],"unique":false}]}');
INSERT INTO "class" VALUES(30,'_Blocklist','{"fields":{"blockedUser":{"className":"_User","readOnly":true,"type":"Pointer"},"user":{"className":"_User","readOnly":true,"type":"Pointer"}},"indexes":[{"fields":["user","blockedUser"],"unique":false},{"fields":["blockedUser"],"unique":false}]}');
INSERT INTO "class" VALUES(31,'_Status','{"fields":{"inboxType":{"readOnly":true,"type":"String"},"message":{"type":"String"},"source":{"className":"_User","readOnly":true,"type":"Pointer"}},"indexes":[{"fields":["source"],"unique":false}]}');
INSERT INTO "class" VALUES(32,'Folder','{"fields":{"name":{"type":"String"}},"indexes":[]}');
INSERT INTO "class" VALUES(33,'Task','{"fields":{"done":{"type":"Boolean"},"due":{"type":"Date"},"folder":{"className":"Folder","type":"Pointer"},"likes":{"className":"Folder","type":"Relation"},"n":{"type":"Number"},"photo":{"type":"File"},"tags":{"type":"Array"},"title":{"type":"String"},"where":{"type":"GeoPoint"}},"indexes":[]}');
CREATE TABLE class_1 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_1" VALUES(1,'6b0744081810ea37c0095f79',1795638280094,1795638280094,NULL,'{"_hash":"FvVy05b66SBmKHFPss4A9y6U8iWP","_md5":"b1946ac92492d2347c6235b4d2611184","_size":6,"key":"YTAwWAsMGEWu4Hw4cRTnHvYpb25rXYhG.txt","metaData":{"_checksum":"b1946ac92492d2347c6235b4d2611184","owner":"unknown","size":6},"mime_type":"text/plain","name":"hello.txt"}',-1042256679);
INSERT INTO "class_1" VALUES(2,'6b0744081a5ec7358e8db0f2',1795638280103,1795638280103,'{"*":{"read":true}}','{"_decision":{"at":"2026-11-25T20:24:40.203Z","kind":"person","verdict":"passed"},"_detected":"image/jpeg","_hash":"Fowy1mDCq0xGilTAGqGrkYPqfZtW","_md5":"511130d2072cc744a1fa5015bc23557a","_size":112525,"censorResult":"passed","key":"jBu3u1jLhVWA676nRXeRT6YlL1NvupEJ.jpg","metaData":{"_checksum":"511130d2072cc744a1fa5015bc23557a","owner":"unknown","size":112525},"mime_type":"image/jpeg","name":"rocket.jpg"}',1921237064);
INSERT INTO "class_1" VALUES(3,'6b0744081be710161b52588b',1795638280109,1795638280109,NULL,'{"_hash":"Fto5o-5ea0sNMlW_75VgGJCv2AcJ","_md5":"d41d8cd98f00b204e9800998ecf8427e","_size":0,"key":"4JlRRXmmhKWqNIAVYYpbYXG94C3XyV3j.bin","metaData":{"_checksum":"d41d8cd98f00b204e9800998ecf8427e","owner":"unknown","size":0},"mime_type":"application/octet-stream","name":"empty.bin"}',1892681042);
INSERT INTO "class_1" VALUES(4,'6b0744081d2f08b9a000f3db',1795638280114,1795638280114,NULL,'{"metaData":{"__source":"external","owner":"unknown"},"name":"logo.png","url":"https://elsewhere.example.org/logo.png"}',-1419799403);
CREATE TABLE class_10 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_10" VALUES(1,'6b0744082042baf0cee1c61b',1795638280126,1795638280126,NULL,'{"key":"lpq69BnAC6s9bWZVvCK7ozG8wqSIRrP1.txt"}',61878291);
CREATE TABLE class_11 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
CREATE TABLE class_12 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
CREATE TABLE class_13 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_13" VALUES(1,'6b07440833f7b7a9c4875aef',1795638280203,1795638280203,NULL,'{"at":"2026-11-25T20:24:40.203Z","event":"verdict","file":"6b0744081a5ec7358e8db0f2","kind":"person","verdict":"passed"}',297101579);
CREATE TABLE class_14 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
CREATE TABLE class_15 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
CREATE TABLE class_16 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_16" VALUES(1,'6b0744082b8548e0d6e1658e',1795638280170,1795638340190,NULL,'{"attempts":1,"failure":"The mail server cannot be reached.","purpose":"verify","since":{"__type":"Date","iso":"2026-11-25T20:24:40.170Z"},"to":"ann@example.org","turn":"0001795638340190","user":{"__type":"Pointer","className":"_User","objectId":"6b0744082b439407024d860b"}}',1685006915);
INSERT INTO "class_16" VALUES(2,'6b074408322d5be0cdc098cf',1795638280196,1795638280196,NULL,'{"attempts":0,"purpose":"verify","since":{"__type":"Date","iso":"2026-11-25T20:24:40.196Z"},"to":"ben@example.org","turn":"0001795638280196","user":{"__type":"Pointer","className":"_User","objectId":"6b07440831eb6c41668a2fc0"}}',-56150405);
CREATE TABLE class_17 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_17" VALUES(1,'6b0744082c8b67660a670a38',1795638280173,1795638280173,NULL,'{"_token":"132157c1587ea1210bad4a7541efb331a3a1ad2dab971f416a1b7e65ddc7f85c","expiresAt":{"__type":"Date","iso":"2026-12-02T20:24:40.173Z"},"purpose":"verify","to":"ann@example.org","user":{"__type":"Pointer","className":"_User","objectId":"6b0744082b439407024d860b"}}',-1425107267);
CREATE TABLE class_18 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_18" VALUES(1,'6b074408368728c9c45194a3',1795638280212,1795638280212,NULL,'{"box":"6b0744082b439407024d860b/default","last":1,"read":0}',-320572536);
CREATE TABLE class_19 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_19" VALUES(1,'6b074408368886f204e359ab',1795638280212,1795638280212,NULL,'{"delivery":"6b0744083604bd4ad71297a3/6b0744082b439407024d860b","place":"6b0744082b439407024d860b/default/000000000000001"}',-1424260710);
CREATE TABLE class_2 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_2" VALUES(1,'6b0744082b439407024d860b',1795638280169,1795638280169,NULL,'{"_password":"$scrypt$ln=10,r=8,p=1$PkUN+ouU48ACj4Mtg2gr1g==$jfPf2N/+DZ5ng3yFX13Nbs7jvqmDZS7XatMDmymwGWY=","email":"ann@example.org","emailVerified":false,"mobilePhoneVerified":false,"username":"ann"}',-778251159);
INSERT INTO "class_2" VALUES(2,'6b07440831eb6c41668a2fc0',1795638280195,1795638280195,NULL,'{"_password":"$scrypt$ln=10,r=8,p=1$9bnnhuPbbyY0CyHMY5XaWw==$bb7CYTBnmhFtW1GuWsexfLxirjn2Ad+y/pJQvcktJ1A=","email":"ben@example.org","emailVerified":false,"mobilePhoneVerified":false,"username":"ben"}',-2134151496);
CREATE TABLE class_20 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
CREATE TABLE class_21 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_21" VALUES(1,'6b07440838525663b00769d5',1795638280220,1795638340226,NULL,'{"attempts":1,"failure":"The SMS gateway cannot be used. The webhook cannot be reached from this server.","lifetime":600,"nonce":"c0dfgc0qwfsztrvjv60q1skw","number":"+12025550123","purpose":"generic","since":{"__type":"Date","iso":"2026-11-25T20:24:40.220Z"},"template":"generic","turn":"0001795638340226","variables":{}}',1720566749);
CREATE TABLE class_22 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_22" VALUES(1,'6b07440838513fdbfaa1116c',1795638280220,1795638280220,NULL,'{"expiresAt":{"__type":"Date","iso":"2026-11-25T20:34:40.220Z"},"nonce":"c0dfgc0qwfsztrvjv60q1skw","number":"+12025550123","purpose":"generic","target":"generic +12025550123","tries":0}',-815591739);
CREATE TABLE class_23 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
CREATE TABLE class_24 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
CREATE TABLE class_25 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_25" VALUES(1,'6b0744082041c84c9bf2aa1e',1795638280126,1795638280126,NULL,'{"_record":{"createdAt":1795638280118,"fields":{"_hash":"Flr2F8sIirQIc-mqUswkcmCSyUJO","_md5":"b1304b81a2e029bff466f2c245f1dbfd","_size":5,"key":"lpq69BnAC6s9bWZVvCK7ozG8wqSIRrP1.txt","metaData":{"_checksum":"b1304b81a2e029bff466f2c245f1dbfd","owner":"unknown","size":5},"mime_type":"text/plain","name":"gone.txt"},"updatedAt":1795638280118},"by":"master","expiresAt":{"__type":"Date","iso":"2036-11-22T20:24:40.126Z"},"file":"6b0744081e35e0ed7c61837d","key":"lpq69BnAC6s9bWZVvCK7ozG8wqSIRrP1.txt","name":"gone.txt","reason":"deleted","size":5}',1109056072);
CREATE TABLE class_26 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
CREATE TABLE class_27 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_27" VALUES(1,'6b07440834fe5345e690f831',1795638280207,1795638280207,'{"6b0744082b439407024d860b":{"read":true,"write":true},"6b07440831eb6c41668a2fc0":{"read":true,"write":true}}','{"follower":{"__type":"Pointer","className":"_User","objectId":"6b0744082b439407024d860b"},"user":{"__type":"Pointer","className":"_User","objectId":"6b07440831eb6c41668a2fc0"}}',882041414);
CREATE TABLE class_28 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_28" VALUES(1,'6b07440834fd7a03290baad6',1795638280207,1795638280207,'{"6b0744082b439407024d860b":{"read":true,"write":true},"6b07440831eb6c41668a2fc0":{"read":true,"write":true}}','{"followee":{"__type":"Pointer","className":"_User","objectId":"6b07440831eb6c41668a2fc0"},"user":{"__type":"Pointer","className":"_User","objectId":"6b0744082b439407024d860b"}}',-2031712673);
CREATE TABLE class_29 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
CREATE TABLE class_3 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_3" VALUES(1,'6b07440833332634df8b0ffa',1795638280200,1795638280200,'{"*":{"read":true}}','{"name":"Editors"}',-627035749);
CREATE TABLE class_30 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
CREATE TABLE class_31 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_31" VALUES(1,'6b0744083604bd4ad71297a3',1795638280211,1795638280211,'{"*":{"read":true},"6b0744082b439407024d860b":{"read":true,"write":true}}','{"inboxType":"default","message":"hello","source":{"__type":"Pointer","className":"_User","objectId":"6b0744082b439407024d860b"}}',-297394414);
CREATE TABLE class_32 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_32" VALUES(1,'6b07440825a1953dc24fb8cd',1795638280147,1795638280147,NULL,'{"name":"家"}',375836647);
CREATE TABLE class_33 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_33" VALUES(1,'6b0744082666d1258c07e51d',1795638280150,1795638280153,'{"*":{"read":true}}','{"done":false,"due":{"__type":"Date","iso":"2024-03-01T08:00:00.120Z"},"folder":{"__type":"Pointer","className":"Folder","objectId":"6b07440825a1953dc24fb8cd"},"n":2,"photo":{"__type":"Pointer","className":"_File","objectId":"6b0744081a5ec7358e8db0f2"},"tags":["a",2.5,null],"title":"洗","where":{"__type":"GeoPoint","latitude":1.5,"longitude":2.0}}',-310436739);
CREATE TABLE class_4 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_4" VALUES(1,'6b0744082bc62436e6a58803',1795638280171,1795638280171,NULL,'{"_token":"a95db08d708cd50c09f4e0a534337d98e5b8ca0c8bb0cbeec8c029f453dd936f","user":{"__type":"Pointer","className":"_User","objectId":"6b0744082b439407024d860b"}}',1056674803);
INSERT INTO "class_4" VALUES(2,'6b074408322ed2b894324544',1795638280196,1795638280196,NULL,'{"_token":"e2781e195d0cc2ee9888c380c0b888977cca8edad110a920b901dcab5e396208","user":{"__type":"Pointer","className":"_User","objectId":"6b07440831eb6c41668a2fc0"}}',-805128491);
CREATE TABLE class_5 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
CREATE TABLE class_6 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
CREATE TABLE class_7 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
CREATE TABLE class_8 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_8" VALUES(1,'usage',1795638279843,1795638280126,NULL,'{"announced":0,"bytes":112531,"files":3,"trashBytes":5,"trashFiles":1,"uploads":0}',2078132708);
CREATE TABLE class_9 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
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
INSERT INTO "grdb_migrations" VALUES('v11 checksums');
INSERT INTO "grdb_migrations" VALUES('v12 damage');
INSERT INTO "grdb_migrations" VALUES('v13 trash');
CREATE TABLE relation (
    class  INTEGER NOT NULL,
    key    TEXT NOT NULL,
    owner  TEXT NOT NULL,
    member TEXT NOT NULL,
    PRIMARY KEY (class, key, owner, member)
) STRICT, WITHOUT ROWID;
INSERT INTO "relation" VALUES(3,'users','6b07440833332634df8b0ffa','6b0744082b439407024d860b');
INSERT INTO "relation" VALUES(33,'likes','6b0744082666d1258c07e51d','6b07440825a1953dc24fb8cd');
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
CREATE UNIQUE INDEX "class_24 unique subject" ON class_24 (json_extract(body, '$.subject'));
CREATE INDEX "class_24 kind" ON class_24 (json_extract(body, '$.kind'));
CREATE INDEX class_25_created ON class_25 (created_at);
CREATE INDEX class_25_updated ON class_25 (updated_at);
CREATE INDEX "class_25 file" ON class_25 (json_extract(body, '$.file'));
CREATE INDEX "class_25 expires^at" ON class_25 (json_extract(body, '$.expiresAt'));
CREATE INDEX class_26_created ON class_26 (created_at);
CREATE INDEX class_26_updated ON class_26 (updated_at);
CREATE INDEX "class_26 device^token" ON class_26 (json_extract(body, '$.deviceToken'));
CREATE INDEX "class_26 installation^id" ON class_26 (json_extract(body, '$.installationId'));
CREATE INDEX class_27_created ON class_27 (created_at);
CREATE INDEX class_27_updated ON class_27 (updated_at);
CREATE INDEX "class_27 user,follower" ON class_27 (json_extract(body, '$.user'), json_extract(body, '$.follower'));
CREATE INDEX "class_27 follower" ON class_27 (json_extract(body, '$.follower'));
CREATE INDEX "class_27 user,object^id" ON class_27 (json_extract(body, '$.user'), id);
CREATE INDEX class_28_created ON class_28 (created_at);
CREATE INDEX class_28_updated ON class_28 (updated_at);
CREATE INDEX "class_28 user,followee" ON class_28 (json_extract(body, '$.user'), json_extract(body, '$.followee'));
CREATE INDEX "class_28 followee" ON class_28 (json_extract(body, '$.followee'));
CREATE INDEX class_29_created ON class_29 (created_at);
CREATE INDEX class_29_updated ON class_29 (updated_at);
CREATE INDEX "class_29 user,friend" ON class_29 (json_extract(body, '$.user'), json_extract(body, '$.friend'));
CREATE INDEX "class_29 friend" ON class_29 (json_extract(body, '$.friend'));
CREATE INDEX class_30_created ON class_30 (created_at);
CREATE INDEX class_30_updated ON class_30 (updated_at);
CREATE INDEX "class_30 user,blocked^user" ON class_30 (json_extract(body, '$.user'), json_extract(body, '$.blockedUser'));
CREATE INDEX "class_30 blocked^user" ON class_30 (json_extract(body, '$.blockedUser'));
CREATE INDEX class_31_created ON class_31 (created_at);
CREATE INDEX class_31_updated ON class_31 (updated_at);
CREATE INDEX "class_31 source" ON class_31 (json_extract(body, '$.source'));
CREATE INDEX class_32_created ON class_32 (created_at);
CREATE INDEX class_32_updated ON class_32 (updated_at);
CREATE INDEX class_33_created ON class_33 (created_at);
CREATE INDEX class_33_updated ON class_33 (updated_at);
COMMIT;
