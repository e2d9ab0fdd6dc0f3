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
INSERT INTO "class" VALUES(26,'_ConsoleSession','{"fields":{"_token":{"type":"String"},"address":{"type":"String"},"browser":{"type":"String"},"expiresAt":{"type":"Date"},"lastUsedAt":{"type":"Date"},"readOnly":{"type":"Boolean"}},"indexes":[]}');
INSERT INTO "class" VALUES(27,'_ConsoleAudit','{"fields":{"address":{"type":"String"},"method":{"type":"String"},"path":{"type":"String"},"requestId":{"type":"String"},"session":{"type":"String"},"status":{"type":"Number"},"summary":{"type":"String"}},"indexes":[{"fields":["session"],"unique":false}]}');
INSERT INTO "class" VALUES(28,'_LiveQuery','{"fields":{"class":{"type":"String"},"expiresAt":{"type":"Date"},"installation":{"type":"String"},"master":{"type":"Boolean"},"query":{"type":"String"},"session":{"type":"String"},"user":{"type":"String"}},"indexes":[{"fields":["installation"],"unique":false},{"fields":["expiresAt"],"unique":false}]}');
INSERT INTO "class" VALUES(29,'_Installation','{"fields":{"deviceToken":{"type":"String"},"installationId":{"type":"String"}},"indexes":[{"fields":["deviceToken"],"unique":false},{"fields":["installationId"],"unique":false}]}');
INSERT INTO "class" VALUES(30,'_Follower','{"fields":{"follower":{"className":"_User","readOnly":true,"type":"Pointer"},"user":{"className":"_User","readOnly":true,"type":"Pointer"}},"indexes":[{"fields":["user","follower"],"unique":false},{"fields":["follower"],"unique":false},{"fields":["user","objectId"],"unique":false}]}');
INSERT INTO "class" VALUES(31,'_Followee','{"fields":{"followee":{"className":"_User","readOnly":true,"type":"Pointer"},"friendStatus":{"readOnly":true,"type":"Boolean"},"user":{"className":"_User","readOnly":true,"type":"Pointer"}},"indexes":[{"fields":["user","followee"],"unique":false},{"fields":["followee"],"unique":false}]}');
INSERT INTO "class" VALUES(32,'_FriendshipRequest','{"fields":{"friend":{"className":"_User","readOnly":true,"type":"Pointer"},"status":{"readOnly":true,"type":"String"},"user":{"className":"_User","readOnly":true,"type":"Pointer"}},"indexes":[{"fields":["user","friend"],"unique":false},{"fields":["friend"],"unique":false}]}');
INSERT INTO "class" VALUES(33,'_Blocklist','{"fields":{"blockedUser":{"className":"_User","readOnly":true,"type":"Pointer"},"user":{"className":"_User","readOnly":true,"type":"Pointer"}},"indexes":[{"fields":["user","blockedUser"],"unique":false},{"fields":["blockedUser"],"unique":false}]}');
INSERT INTO "class" VALUES(34,'_Status','{"fields":{"inboxType":{"readOnly":true,"type":"String"},"message":{"type":"String"},"source":{"className":"_User","readOnly":true,"type":"Pointer"}},"indexes":[{"fields":["source"],"unique":false}]}');
INSERT INTO "class" VALUES(35,'Folder','{"fields":{"name":{"type":"String"}},"indexes":[]}');
INSERT INTO "class" VALUES(36,'Task','{"fields":{"done":{"type":"Boolean"},"due":{"type":"Date"},"folder":{"className":"Folder","type":"Pointer"},"likes":{"className":"Folder","type":"Relation"},"n":{"type":"Number"},"photo":{"type":"File"},"tags":{"type":"Array"},"title":{"type":"String"},"where":{"type":"GeoPoint"}},"indexes":[]}');
CREATE TABLE class_1 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_1" VALUES(1,'6b096ebad4bc52ad5f74b2a5',1795780282831,1795780282831,NULL,'{"_hash":"FvVy05b66SBmKHFPss4A9y6U8iWP","_md5":"b1946ac92492d2347c6235b4d2611184","_size":6,"key":"m1Oc3OvBryr1fN24YySNoBYqkynBSNC8.txt","metaData":{"_checksum":"b1946ac92492d2347c6235b4d2611184","owner":"unknown","size":6},"mime_type":"text/plain","name":"hello.txt"}',640420472);
INSERT INTO "class_1" VALUES(2,'6b096ebadc6a1d49f07b68c0',1795780282861,1795780282861,'{"*":{"read":true}}','{"_decision":{"at":"2026-11-27T11:51:23.128Z","kind":"person","verdict":"passed"},"_detected":"image/jpeg","_hash":"Fowy1mDCq0xGilTAGqGrkYPqfZtW","_md5":"511130d2072cc744a1fa5015bc23557a","_size":112525,"censorResult":"passed","key":"5nsvrNVuoEPkRIRcv0vG27MVKH6FJlJB.jpg","metaData":{"_checksum":"511130d2072cc744a1fa5015bc23557a","owner":"unknown","size":112525},"mime_type":"image/jpeg","name":"rocket.jpg"}',1486920415);
INSERT INTO "class_1" VALUES(3,'6b096ebae083587c1ad4aef0',1795780282877,1795780282877,NULL,'{"_hash":"Fto5o-5ea0sNMlW_75VgGJCv2AcJ","_md5":"d41d8cd98f00b204e9800998ecf8427e","_size":0,"key":"qNgBjVxTC0vNpj7DrLkMYs6kt6vFxGou.bin","metaData":{"_checksum":"d41d8cd98f00b204e9800998ecf8427e","owner":"unknown","size":0},"mime_type":"application/octet-stream","name":"empty.bin"}',219992536);
INSERT INTO "class_1" VALUES(4,'6b096ebaf0e5e94ab2a19d0a',1795780282941,1795780282941,NULL,'{"metaData":{"__source":"external","owner":"unknown"},"name":"logo.png","url":"https://elsewhere.example.org/logo.png"}',-2105481106);
CREATE TABLE class_10 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_10" VALUES(1,'6b096ebafeb80f84bdd43c22',1795780282994,1795780282994,NULL,'{"key":"ps8Vgf4dT2JamS0HI0loUqu08xOz288l.txt"}',946699360);
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
INSERT INTO "class_13" VALUES(1,'6b096ebb210672c0ade90b93',1795780283128,1795780283128,NULL,'{"at":"2026-11-27T11:51:23.128Z","event":"verdict","file":"6b096ebadc6a1d49f07b68c0","kind":"person","verdict":"passed"}',308023982);
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
INSERT INTO "class_16" VALUES(1,'6b096ebb0e5635cc10814186',1795780283056,1795780343107,NULL,'{"attempts":1,"failure":"The mail server cannot be reached.","purpose":"verify","since":{"__type":"Date","iso":"2026-11-27T11:51:23.056Z"},"to":"ann@example.org","turn":"0001795780343107","user":{"__type":"Pointer","className":"_User","objectId":"6b096ebb0e14d4f5616f47f5"}}',-822995737);
INSERT INTO "class_16" VALUES(2,'6b096ebb1d70d0d282296495',1795780283115,1795780283115,NULL,'{"attempts":0,"purpose":"verify","since":{"__type":"Date","iso":"2026-11-27T11:51:23.115Z"},"to":"ben@example.org","turn":"0001795780283115","user":{"__type":"Pointer","className":"_User","objectId":"6b096ebb1d2f3f7be9e7f1ee"}}',887013006);
CREATE TABLE class_17 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_17" VALUES(1,'6b096ebb14fd507ddbfe5a27',1795780283067,1795780283067,NULL,'{"_token":"7f2973578e7af6b7b7ca3115954fe0dede89518fc90b83efd04fb4143e7f3b13","expiresAt":{"__type":"Date","iso":"2026-12-04T11:51:23.067Z"},"purpose":"verify","to":"ann@example.org","user":{"__type":"Pointer","className":"_User","objectId":"6b096ebb0e14d4f5616f47f5"}}',-1281884509);
CREATE TABLE class_18 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_18" VALUES(1,'6b096ebb249bc143b425d8f4',1795780283142,1795780283142,NULL,'{"box":"6b096ebb0e14d4f5616f47f5/default","last":1,"read":0}',-2141047523);
CREATE TABLE class_19 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_19" VALUES(1,'6b096ebb249c114f1129afdf',1795780283142,1795780283142,NULL,'{"delivery":"6b096ebb245aa35774102f57/6b096ebb0e14d4f5616f47f5","place":"6b096ebb0e14d4f5616f47f5/default/000000000000001"}',1640551068);
CREATE TABLE class_2 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_2" VALUES(1,'6b096ebb0e14d4f5616f47f5',1795780283055,1795780283055,NULL,'{"_password":"$scrypt$ln=10,r=8,p=1$WEZ3hjpjofXv38O/VvViEA==$acgnGYa21+4LnI1HXCXxCSYKtuT2ZAJTIIrYxmapbMs=","email":"ann@example.org","emailVerified":false,"mobilePhoneVerified":false,"username":"ann"}',1607205577);
INSERT INTO "class_2" VALUES(2,'6b096ebb1d2f3f7be9e7f1ee',1795780283114,1795780283114,NULL,'{"_password":"$scrypt$ln=10,r=8,p=1$IPdyig5zKlqH/Loxvn1vLg==$T5VtWMnzafxZDS7QozWSZ4o/fKn2/XBVBd4Di2i+ZH4=","email":"ben@example.org","emailVerified":false,"mobilePhoneVerified":false,"username":"ben"}',1345715678);
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
INSERT INTO "class_21" VALUES(1,'6b096ebb2624e12e47c973f5',1795780283148,1795780343155,NULL,'{"attempts":1,"failure":"The SMS gateway cannot be used. The webhook cannot be reached from this server.","lifetime":600,"nonce":"131ct1qep4dtqwgemramm64o","number":"+12025550123","purpose":"generic","since":{"__type":"Date","iso":"2026-11-27T11:51:23.148Z"},"template":"generic","turn":"0001795780343155","variables":{}}',-1139849862);
CREATE TABLE class_22 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_22" VALUES(1,'6b096ebb25e37f6a0fa98151',1795780283148,1795780283148,NULL,'{"expiresAt":{"__type":"Date","iso":"2026-11-27T12:01:23.148Z"},"nonce":"131ct1qep4dtqwgemramm64o","number":"+12025550123","purpose":"generic","target":"generic +12025550123","tries":0}',1894723969);
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
INSERT INTO "class_25" VALUES(1,'6b096ebafe7669f3e6a1bd58',1795780282994,1795780282994,NULL,'{"_record":{"createdAt":1795780282966,"fields":{"_hash":"Flr2F8sIirQIc-mqUswkcmCSyUJO","_md5":"b1304b81a2e029bff466f2c245f1dbfd","_size":5,"key":"ps8Vgf4dT2JamS0HI0loUqu08xOz288l.txt","metaData":{"_checksum":"b1304b81a2e029bff466f2c245f1dbfd","owner":"unknown","size":5},"mime_type":"text/plain","name":"gone.txt"},"updatedAt":1795780282966},"by":"master","expiresAt":{"__type":"Date","iso":"2036-11-24T11:51:22.994Z"},"file":"6b096ebaf74bf03ec247a31a","key":"ps8Vgf4dT2JamS0HI0loUqu08xOz288l.txt","name":"gone.txt","reason":"deleted","size":5}',242362535);
CREATE TABLE class_26 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_26" VALUES(1,'6b096ebb272bf93d2d1c5f71',1795780283153,1795780283153,NULL,'{"_token":"7b3e8ce584fcb7ad6b3836ca60dc14d99d7e6f87cd3730e1e9a41118dedc1a09","address":"127.0.0.1","browser":"python-requests/2.31.0","expiresAt":{"__type":"Date","iso":"2026-11-27T23:51:23.153Z"},"lastUsedAt":{"__type":"Date","iso":"2026-11-27T11:51:23.153Z"},"readOnly":false}',329863734);
CREATE TABLE class_27 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_27" VALUES(1,'6b096ebb28b4d1dc262b95c9',1795780283159,1795780283163,NULL,'{"address":"127.0.0.1","method":"PUT","path":"/1.1/classes/Task/6b096ebb0831cc1c96ff593e","requestId":"559b36c6fdd4461387807dd0dddfd1ba","session":"6b096ebb272bf93d2d1c5f71","status":200,"summary":"update Task/6b096ebb0831cc1c96ff593e"}',-2133412085);
CREATE TABLE class_28 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
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
INSERT INTO "class_3" VALUES(1,'6b096ebb2000be2a9499351d',1795780283125,1795780283125,'{"*":{"read":true}}','{"name":"Editors"}',688926902);
CREATE TABLE class_30 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_30" VALUES(1,'6b096ebb2353b510bd04040e',1795780283138,1795780283138,'{"6b096ebb0e14d4f5616f47f5":{"read":true,"write":true},"6b096ebb1d2f3f7be9e7f1ee":{"read":true,"write":true}}','{"follower":{"__type":"Pointer","className":"_User","objectId":"6b096ebb0e14d4f5616f47f5"},"user":{"__type":"Pointer","className":"_User","objectId":"6b096ebb1d2f3f7be9e7f1ee"}}',827443973);
CREATE TABLE class_31 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_31" VALUES(1,'6b096ebb231225780e78140d',1795780283137,1795780283137,'{"6b096ebb0e14d4f5616f47f5":{"read":true,"write":true},"6b096ebb1d2f3f7be9e7f1ee":{"read":true,"write":true}}','{"followee":{"__type":"Pointer","className":"_User","objectId":"6b096ebb1d2f3f7be9e7f1ee"},"user":{"__type":"Pointer","className":"_User","objectId":"6b096ebb0e14d4f5616f47f5"}}',1967092166);
CREATE TABLE class_32 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
CREATE TABLE class_33 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
CREATE TABLE class_34 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_34" VALUES(1,'6b096ebb245aa35774102f57',1795780283142,1795780283142,'{"*":{"read":true},"6b096ebb0e14d4f5616f47f5":{"read":true,"write":true}}','{"inboxType":"default","message":"hello","source":{"__type":"Pointer","className":"_User","objectId":"6b096ebb0e14d4f5616f47f5"}}',-62360471);
CREATE TABLE class_35 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_35" VALUES(1,'6b096ebb06e9383373963d49',1795780283027,1795780283027,NULL,'{"name":"家"}',-597083519);
CREATE TABLE class_36 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_36" VALUES(1,'6b096ebb0831cc1c96ff593e',1795780283032,1795780283162,'{"*":{"read":true}}','{"done":true,"due":{"__type":"Date","iso":"2024-03-01T08:00:00.120Z"},"folder":{"__type":"Pointer","className":"Folder","objectId":"6b096ebb06e9383373963d49"},"n":2,"photo":{"__type":"Pointer","className":"_File","objectId":"6b096ebadc6a1d49f07b68c0"},"tags":["a",2.5,null],"title":"洗","where":{"__type":"GeoPoint","latitude":1.5,"longitude":2.0}}',-1834987295);
CREATE TABLE class_4 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_4" VALUES(1,'6b096ebb0e57775ad36fb50b',1795780283056,1795780283056,NULL,'{"_token":"d84fa42fb8b5d95847f068600ab124c7cdc6399e413a05ea2ef6fbaced5f5a9b","user":{"__type":"Pointer","className":"_User","objectId":"6b096ebb0e14d4f5616f47f5"}}',1900310686);
INSERT INTO "class_4" VALUES(2,'6b096ebb1d710ed3767c3455',1795780283115,1795780283115,NULL,'{"_token":"11a583acce40d095a482a111607bd72cd172f166aa40a150cbb3619a5c789054","user":{"__type":"Pointer","className":"_User","objectId":"6b096ebb1d2f3f7be9e7f1ee"}}',1039689418);
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
INSERT INTO "class_8" VALUES(1,'usage',1795780282226,1795780282994,NULL,'{"announced":0,"bytes":112531,"files":3,"trashBytes":5,"trashFiles":1,"uploads":0}',154667436);
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
INSERT INTO "grdb_migrations" VALUES('v14 console');
INSERT INTO "grdb_migrations" VALUES('v15 live queries');
CREATE TABLE relation (
    class  INTEGER NOT NULL,
    key    TEXT NOT NULL,
    owner  TEXT NOT NULL,
    member TEXT NOT NULL,
    PRIMARY KEY (class, key, owner, member)
) STRICT, WITHOUT ROWID;
INSERT INTO "relation" VALUES(3,'users','6b096ebb2000be2a9499351d','6b096ebb0e14d4f5616f47f5');
INSERT INTO "relation" VALUES(36,'likes','6b096ebb0831cc1c96ff593e','6b096ebb06e9383373963d49');
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
CREATE INDEX class_27_created ON class_27 (created_at);
CREATE INDEX class_27_updated ON class_27 (updated_at);
CREATE INDEX "class_27 session" ON class_27 (json_extract(body, '$.session'));
CREATE INDEX class_28_created ON class_28 (created_at);
CREATE INDEX class_28_updated ON class_28 (updated_at);
CREATE INDEX "class_28 installation" ON class_28 (json_extract(body, '$.installation'));
CREATE INDEX "class_28 expires^at" ON class_28 (json_extract(body, '$.expiresAt'));
CREATE INDEX class_29_created ON class_29 (created_at);
CREATE INDEX class_29_updated ON class_29 (updated_at);
CREATE INDEX "class_29 device^token" ON class_29 (json_extract(body, '$.deviceToken'));
CREATE INDEX "class_29 installation^id" ON class_29 (json_extract(body, '$.installationId'));
CREATE INDEX class_30_created ON class_30 (created_at);
CREATE INDEX class_30_updated ON class_30 (updated_at);
CREATE INDEX "class_30 user,follower" ON class_30 (json_extract(body, '$.user'), json_extract(body, '$.follower'));
CREATE INDEX "class_30 follower" ON class_30 (json_extract(body, '$.follower'));
CREATE INDEX "class_30 user,object^id" ON class_30 (json_extract(body, '$.user'), id);
CREATE INDEX class_31_created ON class_31 (created_at);
CREATE INDEX class_31_updated ON class_31 (updated_at);
CREATE INDEX "class_31 user,followee" ON class_31 (json_extract(body, '$.user'), json_extract(body, '$.followee'));
CREATE INDEX "class_31 followee" ON class_31 (json_extract(body, '$.followee'));
CREATE INDEX class_32_created ON class_32 (created_at);
CREATE INDEX class_32_updated ON class_32 (updated_at);
CREATE INDEX "class_32 user,friend" ON class_32 (json_extract(body, '$.user'), json_extract(body, '$.friend'));
CREATE INDEX "class_32 friend" ON class_32 (json_extract(body, '$.friend'));
CREATE INDEX class_33_created ON class_33 (created_at);
CREATE INDEX class_33_updated ON class_33 (updated_at);
CREATE INDEX "class_33 user,blocked^user" ON class_33 (json_extract(body, '$.user'), json_extract(body, '$.blockedUser'));
CREATE INDEX "class_33 blocked^user" ON class_33 (json_extract(body, '$.blockedUser'));
CREATE INDEX class_34_created ON class_34 (created_at);
CREATE INDEX class_34_updated ON class_34 (updated_at);
CREATE INDEX "class_34 source" ON class_34 (json_extract(body, '$.source'));
CREATE INDEX class_35_created ON class_35 (created_at);
CREATE INDEX class_35_updated ON class_35 (updated_at);
CREATE INDEX class_36_created ON class_36 (created_at);
CREATE INDEX class_36_updated ON class_36 (updated_at);
COMMIT;
