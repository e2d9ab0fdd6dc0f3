// The texts of the first steps.

import { firstStepsChinese } from './words-zh.js';

const firstStepsEnglish = {
  'first.title': 'First steps',
  'first.intro': 'Three steps show that everything works. They are here again at any time: Shortcuts, First steps.',
  'first.readOnly': 'This session is read-only: it shows the steps and cannot make them.',
  'first.count': '{count} of 3 steps done',
  'first.done': 'done',
  'first.open': 'not done yet',
  'first.class': 'Create a class',
  'first.class.text': 'A class contains the objects of one kind, such as notes, posts or scores.',
  'first.class.name': 'Name of the class',
  'first.class.create': 'Create the class',
  'first.class.created': 'The class {name} exists now.',
  'first.class.open': 'Show {name} in Data',
  'first.photo': 'Upload a photo',
  'first.photo.text': 'The photo gets a URL, and the server renders every size of it.',
  'first.photo.choose': 'Choose a photo',
  'first.photo.open': { one: 'Show {count} file in Files', other: 'Show {count} files in Files' },
  'first.sdk': 'Connect an SDK',
  'first.sdk.text': 'The SDKs of LeanCloud work unchanged: set the server URL, and nothing else.',
  'first.sdk.choose': 'SDK',
  'first.sdk.install': 'Add the SDK to your project',
  'first.sdk.code': 'Connect, and save an object',
  'first.sdk.seen': 'When the lines have run, this step is done, and Data has the class TestObject.',
  'first.sdk.valine': 'When the first comment is posted, this step is done. Then protect the comments: lcfile permissions '
    + 'set Comment delete none',
  'first.sdk.key': 'the app key',
  'first.sdk.noKey': 'A read-only session does not get the app key. The configuration of the server has it, or the file '
    + 'apps.yaml in the storage folder.',
  'first.sdk.url': 'The lines have the address {url}, which is the setting publicURL of the server. You are at {here}. Apps '
    + 'must be able to reach the first one.',
};

export const firstStepsWords = { en: firstStepsEnglish, zh: firstStepsChinese };
