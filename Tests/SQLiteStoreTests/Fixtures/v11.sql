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
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_1" VALUES(1,'6b0736d2072b465dfba28028',1795634898028,1795634898028,NULL,'{"_hash":"FvVy05b66SBmKHFPss4A9y6U8iWP","_md5":"b1946ac92492d2347c6235b4d2611184","_size":6,"key":"zxbBnSw14c0dwXBH7hzhWGyWrsP5oewj.txt","metaData":{"_checksum":"b1946ac92492d2347c6235b4d2611184","owner":"unknown","size":6},"mime_type":"text/plain","name":"hello.txt"}',692237568);
INSERT INTO "class_1" VALUES(2,'6b0736d209378af091ef7fb4',1795634898036,1795634898036,'{"*":{"read":true}}','{"_decision":{"at":"2026-11-25T19:28:18.353Z","kind":"person","verdict":"passed"},"_detected":"image/jpeg","_hash":"Fowy1mDCq0xGilTAGqGrkYPqfZtW","_md5":"511130d2072cc744a1fa5015bc23557a","_size":112525,"censorResult":"passed","key":"fDVDKkUtnAPgbC6UFqy8Ds48lLnjMNrY.jpg","metaData":{"_checksum":"511130d2072cc744a1fa5015bc23557a","owner":"unknown","size":112525},"mime_type":"image/jpeg","name":"rocket.jpg"}',-298750038);
INSERT INTO "class_1" VALUES(3,'6b0736d20cccd92ac636226d',1795634898050,1795634898050,NULL,'{"_hash":"Fto5o-5ea0sNMlW_75VgGJCv2AcJ","_md5":"d41d8cd98f00b204e9800998ecf8427e","_size":0,"key":"K6SItgmSoy4mkYDY2y6G8N8SEJDjQ7nl.bin","metaData":{"_checksum":"d41d8cd98f00b204e9800998ecf8427e","owner":"unknown","size":0},"mime_type":"application/octet-stream","name":"empty.bin"}',-1001663976);
INSERT INTO "class_1" VALUES(4,'6b0736d210e50f3fb94f10f0',1795634898066,1795634898066,NULL,'{"metaData":{"__source":"external","owner":"unknown"},"name":"logo.png","url":"https://elsewhere.example.org/logo.png"}',1250718017);
CREATE TABLE class_10 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_10" VALUES(1,'6b0736d23ae16ae27845c754',1795634898229,1795634898229,NULL,'{"key":"TAvSLFR3sS5wS3Prry3BqqNwYOEbkamh.txt"}',1848812790);
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
INSERT INTO "class_13" VALUES(1,'6b0736d25c6a6a027fdb09e2',1795634898353,1795634898353,NULL,'{"at":"2026-11-25T19:28:18.353Z","event":"verdict","file":"6b0736d209378af091ef7fb4","kind":"person","verdict":"passed"}',-1532283869);
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
INSERT INTO "class_16" VALUES(1,'6b0736d24b85dcc1798b365b',1795634898295,1795634958329,NULL,'{"attempts":1,"failure":"The mail server cannot be reached.","purpose":"verify","since":{"__type":"Date","iso":"2026-11-25T19:28:18.295Z"},"to":"ann@example.org","turn":"0001795634958329","user":{"__type":"Pointer","className":"_User","objectId":"6b0736d24b438d1fcb1ec3fa"}}',277405958);
INSERT INTO "class_16" VALUES(2,'6b0736d25021d4026edd900b',1795634898313,1795634958361,NULL,'{"attempts":1,"failure":"The mail server cannot be reached.","purpose":"verify","since":{"__type":"Date","iso":"2026-11-25T19:28:18.313Z"},"to":"ben@example.org","turn":"0001795634958361","user":{"__type":"Pointer","className":"_User","objectId":"6b0736d25020742a0dbf9dcb"}}',361639149);
CREATE TABLE class_17 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_17" VALUES(1,'6b0736d24c8bc58a03ccd377',1795634898297,1795634898297,NULL,'{"_token":"cbbe0273dbc9ffe64e6a24e83c0e9375837e08c5dc874c38317517a66f859fa7","expiresAt":{"__type":"Date","iso":"2026-12-02T19:28:18.297Z"},"purpose":"verify","to":"ann@example.org","user":{"__type":"Pointer","className":"_User","objectId":"6b0736d24b438d1fcb1ec3fa"}}',-310934641);
INSERT INTO "class_17" VALUES(2,'6b0736d2599936add8f0c1be',1795634898342,1795634898342,NULL,'{"_token":"047844bda7bb42ad1b248d4a2f9b05cffe75794241c8339901d37942cbb68d03","expiresAt":{"__type":"Date","iso":"2026-12-02T19:28:18.342Z"},"purpose":"verify","to":"ben@example.org","user":{"__type":"Pointer","className":"_User","objectId":"6b0736d25020742a0dbf9dcb"}}',-485830749);
CREATE TABLE class_18 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_18" VALUES(1,'6b0736d26560dc8939f77636',1795634898395,1795634898395,NULL,'{"box":"6b0736d24b438d1fcb1ec3fa/default","last":1,"read":0}',-700770414);
CREATE TABLE class_19 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_19" VALUES(1,'6b0736d265612da4e8ebd4cd',1795634898395,1795634898395,NULL,'{"delivery":"6b0736d264dde75ec042af4b/6b0736d24b438d1fcb1ec3fa","place":"6b0736d24b438d1fcb1ec3fa/default/000000000000001"}',483692133);
CREATE TABLE class_2 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_2" VALUES(1,'6b0736d24b438d1fcb1ec3fa',1795634898294,1795634898294,NULL,'{"_password":"$scrypt$ln=10,r=8,p=1$hNFFdJCLWL6NY9vzVDeNOA==$66NTs3OWuE1amWLXU39U5b/sAXRKw+9KUXmRVWBYWR8=","email":"ann@example.org","emailVerified":false,"mobilePhoneVerified":false,"username":"ann"}',-2130241097);
INSERT INTO "class_2" VALUES(2,'6b0736d25020742a0dbf9dcb',1795634898313,1795634898313,NULL,'{"_password":"$scrypt$ln=10,r=8,p=1$ZIpgcCY/ur33IXOwSsJaCQ==$QTeTWrr1aTk7x2+ADOVoM3UeOKfgWrM2tTsL/K1F3Ps=","email":"ben@example.org","emailVerified":false,"mobilePhoneVerified":false,"username":"ben"}',-614289797);
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
INSERT INTO "class_21" VALUES(1,'6b0736d266e9d103a3e65974',1795634898401,1795634898407,NULL,'{"attempts":0,"lifetime":600,"nonce":"3v1nx9mf7h7ufuwimaekg29d","number":"+12025550123","purpose":"generic","since":{"__type":"Date","iso":"2026-11-25T19:28:18.401Z"},"template":"generic","turn":"0001795634898407","variables":{}}',1725956142);
CREATE TABLE class_22 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_22" VALUES(1,'6b0736d266a76900ee7c4fce',1795634898401,1795634898401,NULL,'{"expiresAt":{"__type":"Date","iso":"2026-11-25T19:38:18.401Z"},"nonce":"3v1nx9mf7h7ufuwimaekg29d","number":"+12025550123","purpose":"generic","target":"generic +12025550123","tries":0}',645038399);
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
INSERT INTO "class_25" VALUES(1,'6b0736d26106319c48dd66a7',1795634898379,1795634898379,'{"6b0736d24b438d1fcb1ec3fa":{"read":true,"write":true},"6b0736d25020742a0dbf9dcb":{"read":true,"write":true}}','{"follower":{"__type":"Pointer","className":"_User","objectId":"6b0736d24b438d1fcb1ec3fa"},"user":{"__type":"Pointer","className":"_User","objectId":"6b0736d25020742a0dbf9dcb"}}',101189654);
CREATE TABLE class_26 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_26" VALUES(1,'6b0736d260c49f6f31d0ef7e',1795634898378,1795634898378,'{"6b0736d24b438d1fcb1ec3fa":{"read":true,"write":true},"6b0736d25020742a0dbf9dcb":{"read":true,"write":true}}','{"followee":{"__type":"Pointer","className":"_User","objectId":"6b0736d25020742a0dbf9dcb"},"user":{"__type":"Pointer","className":"_User","objectId":"6b0736d24b438d1fcb1ec3fa"}}',-887393992);
CREATE TABLE class_27 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
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
INSERT INTO "class_29" VALUES(1,'6b0736d264dde75ec042af4b',1795634898394,1795634898394,'{"*":{"read":true},"6b0736d24b438d1fcb1ec3fa":{"read":true,"write":true}}','{"inboxType":"default","message":"hello","source":{"__type":"Pointer","className":"_User","objectId":"6b0736d24b438d1fcb1ec3fa"}}',407325594);
CREATE TABLE class_3 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_3" VALUES(1,'6b0736d254fd2ec9e2d6aa77',1795634898332,1795634898332,'{"*":{"read":true}}','{"name":"Editors"}',-1731387992);
CREATE TABLE class_30 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_30" VALUES(1,'6b0736d24395dcf3d3fcb393',1795634898264,1795634898264,NULL,'{"name":"家"}',1179056555);
CREATE TABLE class_31 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_31" VALUES(1,'6b0736d2449b4a7b0a4e7715',1795634898268,1795634898274,'{"*":{"read":true}}','{"done":false,"due":{"__type":"Date","iso":"2024-03-01T08:00:00.120Z"},"folder":{"__type":"Pointer","className":"Folder","objectId":"6b0736d24395dcf3d3fcb393"},"n":2,"photo":{"__type":"Pointer","className":"_File","objectId":"6b0736d209378af091ef7fb4"},"tags":["a",2.5,null],"title":"洗","where":{"__type":"GeoPoint","latitude":1.5,"longitude":2.0}}',1350910559);
CREATE TABLE class_4 (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    acl        TEXT,
    body       TEXT NOT NULL,
    checksum   INTEGER
) STRICT;
INSERT INTO "class_4" VALUES(1,'6b0736d24b8682d993123314',1795634898295,1795634898295,NULL,'{"_token":"ef3cd6af3be1c8b6f2fb8a705d5f69bca86a08e7ee7739e50fde0f25b7aae128","user":{"__type":"Pointer","className":"_User","objectId":"6b0736d24b438d1fcb1ec3fa"}}',-841286188);
INSERT INTO "class_4" VALUES(2,'6b0736d250229e484cb9dfd7',1795634898313,1795634898313,NULL,'{"_token":"18f03dce60b96fcc136b5a48d9c79fb8d62ff39e25f4963fa8c16ae9d7b63a10","user":{"__type":"Pointer","className":"_User","objectId":"6b0736d25020742a0dbf9dcb"}}',1757052995);
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
INSERT INTO "class_8" VALUES(1,'usage',1795634897455,1795634898229,NULL,'{"announced":0,"bytes":112531,"files":3,"uploads":0}',-684803905);
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
CREATE TABLE relation (
    class  INTEGER NOT NULL,
    key    TEXT NOT NULL,
    owner  TEXT NOT NULL,
    member TEXT NOT NULL,
    PRIMARY KEY (class, key, owner, member)
) STRICT, WITHOUT ROWID;
INSERT INTO "relation" VALUES(3,'users','6b0736d254fd2ec9e2d6aa77','6b0736d24b438d1fcb1ec3fa');
INSERT INTO "relation" VALUES(31,'likes','6b0736d2449b4a7b0a4e7715','6b0736d24395dcf3d3fcb393');
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
