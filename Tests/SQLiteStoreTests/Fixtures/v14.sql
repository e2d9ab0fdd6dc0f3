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
INSERT INTO "class" VALUES(28,'_Installation','{"fields":{"deviceToken":{"type":"String"},"installationId":{"type":"String"}},"indexes":[{"fields":["deviceToken"],"unique":false},{"fields":["installationId"],"unique":false}]}');
INSERT INTO "class" VALUES(29,'_Follower','{"fields":{"follower":{"className":"_User","readOnly":true,"type":"Pointer"},"user":{"className":"_User","readOnly":true,"type":"Pointer"}},"indexes":[{"fields":["user","follower"],"unique":false},{"fields":["follower"],"unique":false},{"fields":["user","objectId"],"unique":false}]}');
INSERT INTO "class" VALUES(30,'_Followee','{"fields":{"followee":{"className":"_User","readOnly":true,"type":"Pointer"},"friendStatus":{"readOnly":true,"type":"Boolean"},"user":{"className":"_User","readOnly":true,"type":"Pointer"}},"indexes":[{"fields":["user","followee"],"unique":false},{"fields":["followee"],"unique":false}]}');
INSERT INTO "class" VALUES(31,'_FriendshipRequest','{"fields":{"friend":{"className":"_User","readOnly":true,"type":"Pointer"},"status":{"readOnly":true,"type":"String"},"user":{"className":"_User","readOnly":true,"type":"Pointer"}},"indexes":[{"fields":["user","friend"],"unique":false},{"fields":["friend"],"unique":false}]}');
INSERT INTO "class" VALUES(32,'_Blocklist','{"fields":{"blockedUser":{"className":"_User","readOnly":true,"type":"Pointer"},"user":{"className":"_User","readOnly":true,"type":"Pointer"}},"indexes":[{"fields":["user","blockedUser"],"unique":false},{"fields":["blockedUser"],"unique":false}]}');
INSERT INTO "class" VALUES(33,'_Status','{"fields":{"inboxType":{"readOnly":true,"type":"String"},"message":{"type":"String"},"source":{"className":"_User","readOnly":true,"type":"Pointer"}},"indexes":[{"fields":["source"],"unique":false}]}');
INSERT INTO "class" VALUES(34,'Folder','{"fields":{"name":{"type":"String"}},"indexes":[]}');
INSERT INTO "class" VALUES(35,'Task','{"fields":{"done":{"type":"Boolean"},"due":{"type":"Date"},"folder":{"className":"Folder","type":"Pointer"},"likes":{"className":"Folder","type":"Relation"},"n":{"type":"Number"},"photo":{"type":"File"},"tags":{"type":"Array"},"title":{"type":"String"},"where":{"type":"GeoPoint"}},"indexes":[]}');
CREATE TABLE class_1 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_1" VALUES(1,'6b0837f6b6874a3dd2127a46',1795700726713,1795700726713,NULL,'{"_hash":"FvVy05b66SBmKHFPss4A9y6U8iWP","_md5":"b1946ac92492d2347c6235b4d2611184","_size":6,"key":"xtShn4A7GLJqiHTRS5ExOWqXXCvYkHNX.txt","metaData":{"_checksum":"b1946ac92492d2347c6235b4d2611184","owner":"unknown","size":6},"mime_type":"text/plain","name":"hello.txt"}',-248738280);
INSERT INTO "class_1" VALUES(2,'6b0837f76b02e5072b088d10',1795700727418,1795700727418,'{"*":{"read":true}}','{"_decision":{"at":"2026-11-26T13:45:29.160Z","kind":"person","verdict":"passed"},"_detected":"image/jpeg","_hash":"Fowy1mDCq0xGilTAGqGrkYPqfZtW","_md5":"511130d2072cc744a1fa5015bc23557a","_size":112525,"censorResult":"passed","key":"uNQ87LmxCntIRZAWLlN4e1nyvHNTZEff.jpg","metaData":{"_checksum":"511130d2072cc744a1fa5015bc23557a","owner":"unknown","size":112525},"mime_type":"image/jpeg","name":"rocket.jpg"}',-166205243);
INSERT INTO "class_1" VALUES(3,'6b0837f78e563ce746c93b49',1795700727556,1795700727556,NULL,'{"_hash":"Fto5o-5ea0sNMlW_75VgGJCv2AcJ","_md5":"d41d8cd98f00b204e9800998ecf8427e","_size":0,"key":"y6Zb8SZAHTbVGgAhVpSz3Hpl6l2oyxEc.bin","metaData":{"_checksum":"d41d8cd98f00b204e9800998ecf8427e","owner":"unknown","size":0},"mime_type":"application/octet-stream","name":"empty.bin"}',-1616027488);
INSERT INTO "class_1" VALUES(4,'6b0837f7a18942a5a0107150',1795700727631,1795700727631,NULL,'{"metaData":{"__source":"external","owner":"unknown"},"name":"logo.png","url":"https://elsewhere.example.org/logo.png"}',-2072333042);
CREATE TABLE class_10 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_10" VALUES(1,'6b0837f7cf9dd32bb832b590',1795700727785,1795700727785,NULL,'{"key":"JUMTFifeUD1SKxMvH3NRdAiWHYyw9KmS.txt"}',1451002133);
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
INSERT INTO "class_13" VALUES(1,'6b0837f92937b4965414cb4b',1795700729160,1795700729160,NULL,'{"at":"2026-11-26T13:45:29.160Z","event":"verdict","file":"6b0837f76b02e5072b088d10","kind":"person","verdict":"passed"}',1535638514);
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
INSERT INTO "class_16" VALUES(1,'6b0837f8f0e5e5384375590a',1795700728941,1795700789031,NULL,'{"attempts":1,"failure":"The mail server cannot be reached.","purpose":"verify","since":{"__type":"Date","iso":"2026-11-26T13:45:28.941Z"},"to":"ann@example.org","turn":"0001795700789031","user":{"__type":"Pointer","className":"_User","objectId":"6b0837f8f020ded1a81aef5a"}}',1971650741);
INSERT INTO "class_16" VALUES(2,'6b0837f913b6e5629945ae6a',1795700729078,1795700729078,NULL,'{"attempts":0,"purpose":"verify","since":{"__type":"Date","iso":"2026-11-26T13:45:29.078Z"},"to":"ben@example.org","turn":"0001795700729078","user":{"__type":"Pointer","className":"_User","objectId":"6b0837f911a950d28a64856a"}}',-1286150701);
CREATE TABLE class_17 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_17" VALUES(1,'6b0837f8fbe7245d345c8743',1795700728979,1795700728979,NULL,'{"_token":"6c5cbe2fb9ffffe0e7a8506907408a06b60deba6707c92ef138f648cb1f59a42","expiresAt":{"__type":"Date","iso":"2026-12-03T13:45:28.979Z"},"purpose":"verify","to":"ann@example.org","user":{"__type":"Pointer","className":"_User","objectId":"6b0837f8f020ded1a81aef5a"}}',-1803956243);
CREATE TABLE class_18 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_18" VALUES(1,'6b0837f9651eb933b002b0c5',1795700729355,1795700729355,NULL,'{"box":"6b0837f8f020ded1a81aef5a/default","last":1,"read":0}',-733771847);
CREATE TABLE class_19 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_19" VALUES(1,'6b0837f9656093e56c2b2ea9',1795700729355,1795700729355,NULL,'{"delivery":"6b0837f959db3767e176bbc7/6b0837f8f020ded1a81aef5a","place":"6b0837f8f020ded1a81aef5a/default/000000000000001"}',1437095942);
CREATE TABLE class_2 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_2" VALUES(1,'6b0837f8f020ded1a81aef5a',1795700728939,1795700728939,NULL,'{"_password":"$scrypt$ln=10,r=8,p=1$Rb3V1rNuHOKGLzc5P5ttUQ==$W6cme+LiAozk2WCJPaRYK3Ib65xWkTEedzLM+yDLKps=","email":"ann@example.org","emailVerified":false,"mobilePhoneVerified":false,"username":"ann"}',2070695500);
INSERT INTO "class_2" VALUES(2,'6b0837f911a950d28a64856a',1795700729069,1795700729069,NULL,'{"_password":"$scrypt$ln=10,r=8,p=1$aCr0jA3OA9XTqLPfa4G2QA==$j2z8UoR/kGGpN0/lUnsHJyEogZFGNM+d0aMMh+AehUQ=","email":"ben@example.org","emailVerified":false,"mobilePhoneVerified":false,"username":"ben"}',1325618836);
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
INSERT INTO "class_21" VALUES(1,'6b0837f97168dc0621cc2b8e',1795700729442,1795700789511,NULL,'{"attempts":1,"failure":"The SMS gateway cannot be used. The webhook cannot be reached from this server.","lifetime":600,"nonce":"9fz12q1coooi3y3z66ipa6hu","number":"+12025550123","purpose":"generic","since":{"__type":"Date","iso":"2026-11-26T13:45:29.442Z"},"template":"generic","turn":"0001795700789511","variables":{}}',-174642322);
CREATE TABLE class_22 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_22" VALUES(1,'6b0837f971263c52b0fa61ba',1795700729442,1795700729442,NULL,'{"expiresAt":{"__type":"Date","iso":"2026-11-26T13:55:29.442Z"},"nonce":"9fz12q1coooi3y3z66ipa6hu","number":"+12025550123","purpose":"generic","target":"generic +12025550123","tries":0}',1473025086);
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
INSERT INTO "class_25" VALUES(1,'6b0837f7c8f5126defbd9472',1795700727785,1795700727785,NULL,'{"_record":{"createdAt":1795700727736,"fields":{"_hash":"Flr2F8sIirQIc-mqUswkcmCSyUJO","_md5":"b1304b81a2e029bff466f2c245f1dbfd","_size":5,"key":"JUMTFifeUD1SKxMvH3NRdAiWHYyw9KmS.txt","metaData":{"_checksum":"b1304b81a2e029bff466f2c245f1dbfd","owner":"unknown","size":5},"mime_type":"text/plain","name":"gone.txt"},"updatedAt":1795700727736},"by":"master","expiresAt":{"__type":"Date","iso":"2036-11-23T13:45:27.785Z"},"file":"6b0837f7bc6ac730d3ff7f3c","key":"JUMTFifeUD1SKxMvH3NRdAiWHYyw9KmS.txt","name":"gone.txt","reason":"deleted","size":5}',-2032000623);
CREATE TABLE class_26 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_26" VALUES(1,'6b0837f978d4055fe1a03b61',1795700729472,1795700729472,NULL,'{"_token":"bb4f31131ed1e1a734a305cf3142e457cef346c6a77a09b9ed46a6da79ae62f6","address":"127.0.0.1","browser":"python-requests/2.31.0","expiresAt":{"__type":"Date","iso":"2026-11-27T01:45:29.472Z"},"lastUsedAt":{"__type":"Date","iso":"2026-11-26T13:45:29.472Z"},"readOnly":false}',1377809175);
CREATE TABLE class_27 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_27" VALUES(1,'6b0837f98cccc3ab67ea267a',1795700729550,1795700729597,NULL,'{"address":"127.0.0.1","method":"PUT","path":"/1.1/classes/Task/6b0837f8a49bd1be35336f8f","requestId":"2ccd269015b3bffe1157dae2fdb3ef35","session":"6b0837f978d4055fe1a03b61","status":200,"summary":"update Task/6b0837f8a49bd1be35336f8f"}',1567778267);
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
INSERT INTO "class_29" VALUES(1,'6b0837f94978dd329ae686a3',1795700729287,1795700729287,'{"6b0837f8f020ded1a81aef5a":{"read":true,"write":true},"6b0837f911a950d28a64856a":{"read":true,"write":true}}','{"follower":{"__type":"Pointer","className":"_User","objectId":"6b0837f8f020ded1a81aef5a"},"user":{"__type":"Pointer","className":"_User","objectId":"6b0837f911a950d28a64856a"}}',-119014828);
CREATE TABLE class_3 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_3" VALUES(1,'6b0837f91f7c23d004fe78a0',1795700729123,1795700729123,'{"*":{"read":true}}','{"name":"Editors"}',1911453094);
CREATE TABLE class_30 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_30" VALUES(1,'6b0837f948b4a017ec36f403',1795700729284,1795700729284,'{"6b0837f8f020ded1a81aef5a":{"read":true,"write":true},"6b0837f911a950d28a64856a":{"read":true,"write":true}}','{"followee":{"__type":"Pointer","className":"_User","objectId":"6b0837f911a950d28a64856a"},"user":{"__type":"Pointer","className":"_User","objectId":"6b0837f8f020ded1a81aef5a"}}',119014663);
CREATE TABLE class_31 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
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
INSERT INTO "class_33" VALUES(1,'6b0837f959db3767e176bbc7',1795700729351,1795700729351,'{"*":{"read":true},"6b0837f8f020ded1a81aef5a":{"read":true,"write":true}}','{"inboxType":"default","message":"hello","source":{"__type":"Pointer","className":"_User","objectId":"6b0837f8f020ded1a81aef5a"}}',716689992);
CREATE TABLE class_34 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_34" VALUES(1,'6b0837f8716894debc500ca5',1795700728443,1795700728443,NULL,'{"name":"家"}',-954769719);
CREATE TABLE class_35 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_35" VALUES(1,'6b0837f8a49bd1be35336f8f',1795700728643,1795700729576,'{"*":{"read":true}}','{"done":true,"due":{"__type":"Date","iso":"2024-03-01T08:00:00.120Z"},"folder":{"__type":"Pointer","className":"Folder","objectId":"6b0837f8716894debc500ca5"},"n":2,"photo":{"__type":"Pointer","className":"_File","objectId":"6b0837f76b02e5072b088d10"},"tags":["a",2.5,null],"title":"洗","where":{"__type":"GeoPoint","latitude":1.5,"longitude":2.0}}',-1713849258);
CREATE TABLE class_4 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_4" VALUES(1,'6b0837f8f687e818ac071251',1795700728963,1795700728963,NULL,'{"_token":"e5f30b8e710658415813916acf786204b19a2d7d124c91cc4380b84b45b95846","user":{"__type":"Pointer","className":"_User","objectId":"6b0837f8f020ded1a81aef5a"}}',-1145770901);
INSERT INTO "class_4" VALUES(2,'6b0837f91439cc6492a983c6',1795700729079,1795700729079,NULL,'{"_token":"273c9e22b7093a27c2ed5d3d970e04fca1dce7c980a32b59df5d839ea7eff339","user":{"__type":"Pointer","className":"_User","objectId":"6b0837f911a950d28a64856a"}}',2027662002);
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
INSERT INTO "class_8" VALUES(1,'usage',1795700722500,1795700727785,NULL,'{"announced":0,"bytes":112531,"files":3,"trashBytes":5,"trashFiles":1,"uploads":0}',1062743228);
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
CREATE TABLE relation (
    class  INTEGER NOT NULL,
    key    TEXT NOT NULL,
    owner  TEXT NOT NULL,
    member TEXT NOT NULL,
    PRIMARY KEY (class, key, owner, member)
) STRICT, WITHOUT ROWID;
INSERT INTO "relation" VALUES(3,'users','6b0837f91f7c23d004fe78a0','6b0837f8f020ded1a81aef5a');
INSERT INTO "relation" VALUES(35,'likes','6b0837f8a49bd1be35336f8f','6b0837f8716894debc500ca5');
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
CREATE INDEX "class_28 device^token" ON class_28 (json_extract(body, '$.deviceToken'));
CREATE INDEX "class_28 installation^id" ON class_28 (json_extract(body, '$.installationId'));
CREATE INDEX class_29_created ON class_29 (created_at);
CREATE INDEX class_29_updated ON class_29 (updated_at);
CREATE INDEX "class_29 user,follower" ON class_29 (json_extract(body, '$.user'), json_extract(body, '$.follower'));
CREATE INDEX "class_29 follower" ON class_29 (json_extract(body, '$.follower'));
CREATE INDEX "class_29 user,object^id" ON class_29 (json_extract(body, '$.user'), id);
CREATE INDEX class_30_created ON class_30 (created_at);
CREATE INDEX class_30_updated ON class_30 (updated_at);
CREATE INDEX "class_30 user,followee" ON class_30 (json_extract(body, '$.user'), json_extract(body, '$.followee'));
CREATE INDEX "class_30 followee" ON class_30 (json_extract(body, '$.followee'));
CREATE INDEX class_31_created ON class_31 (created_at);
CREATE INDEX class_31_updated ON class_31 (updated_at);
CREATE INDEX "class_31 user,friend" ON class_31 (json_extract(body, '$.user'), json_extract(body, '$.friend'));
CREATE INDEX "class_31 friend" ON class_31 (json_extract(body, '$.friend'));
CREATE INDEX class_32_created ON class_32 (created_at);
CREATE INDEX class_32_updated ON class_32 (updated_at);
CREATE INDEX "class_32 user,blocked^user" ON class_32 (json_extract(body, '$.user'), json_extract(body, '$.blockedUser'));
CREATE INDEX "class_32 blocked^user" ON class_32 (json_extract(body, '$.blockedUser'));
CREATE INDEX class_33_created ON class_33 (created_at);
CREATE INDEX class_33_updated ON class_33 (updated_at);
CREATE INDEX "class_33 source" ON class_33 (json_extract(body, '$.source'));
CREATE INDEX class_34_created ON class_34 (created_at);
CREATE INDEX class_34_updated ON class_34 (updated_at);
CREATE INDEX class_35_created ON class_35 (created_at);
CREATE INDEX class_35_updated ON class_35 (updated_at);
COMMIT;
