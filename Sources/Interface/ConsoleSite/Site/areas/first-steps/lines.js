// The lines that connect an SDK to the app. Each of them saves an object, by which the console sees that it works.

/// The class that the lines of SDKs write to, and that of Valine's comments.
export const sampleClass = 'TestObject';
export const commentClass = 'Comment';

// The strings of all these languages have the same syntax as those of JSON, as far as printable characters go.
const quoted = JSON.stringify;

const javaScript = ({ id, key, server }) => ({
  install: 'npm install leancloud-storage',
  code: `import AV from 'leancloud-storage';

AV.init({
  appId: ${quoted(id)},
  appKey: ${quoted(key)},
  serverURL: ${quoted(server)},
});

const TestObject = AV.Object.extend('${sampleClass}');
const object = new TestObject();
object.set('words', 'Hello, lcfile!');
object.save().then(({ id }) => console.log('Saved:', id), console.error);`,
});

const swift = ({ id, key, server }) => ({
  install: '.package(url: "https://github.com/leancloud/swift-sdk.git", from: "17.11.0")',
  code: `import LeanCloud

try LCApplication.default.set(
    id: ${quoted(id)},
    key: ${quoted(key)},
    serverURL: ${quoted(server)}
)

let object = LCObject(className: "${sampleClass}")
try object.set("words", value: "Hello, lcfile!")
_ = object.save { result in print(result) }`,
});

const java = ({ id, key, server }) => ({
  install: "implementation 'cn.leancloud:storage-core:8.2.28'",
  code: `import cn.leancloud.LCObject;
import cn.leancloud.core.LeanCloud;

LeanCloud.initialize(
    ${quoted(id)},
    ${quoted(key)},
    ${quoted(server)}
);

LCObject object = new LCObject("${sampleClass}");
object.put("words", "Hello, lcfile!");
object.saveInBackground().blockingSubscribe(saved -> System.out.println("Saved: " + saved.getObjectId()));`,
});

const python = ({ id, key, server }) => ({
  install: 'pip install leancloud',
  code: `import os

os.environ["LEANCLOUD_API_SERVER"] = ${quoted(server)}

import leancloud

leancloud.init(${quoted(id)}, app_key=${quoted(key)})

TestObject = leancloud.Object.extend("${sampleClass}")
test_object = TestObject()
test_object.set("words", "Hello, lcfile!")
test_object.save()
print("Saved:", test_object.id)`,
});

const valine = ({ id, key, server }) => ({
  install: '<script src="https://unpkg.com/valine/dist/Valine.min.js"></script>',
  code: `<div id="vcomments"></div>
<script>
  new Valine({
    el: '#vcomments',
    appId: ${quoted(id)},
    appKey: ${quoted(key)},
    serverURLs: ${quoted(server)},
  });
</script>`,
});

/// The SDKs by name, each a function of `{ id, key, server }` that returns `{ install, code }`.
export const sdks = { JavaScript: javaScript, Swift: swift, Java: java, Python: python, Valine: valine };
