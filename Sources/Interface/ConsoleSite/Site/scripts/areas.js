// The areas of the console in the order of the navigation. An area is
//
//   export const area = {
//     name: 'data',                 // the first segment of its addresses: #/data/…
//     title: 'data.title',          // the key of its name
//     words: { en: { … }, zh: { … } },
//     shortcuts: [{ keys: 'n', text: 'data.key.new' }],   // for the list of shortcuts; the area handles the keys
//     open(place, path, context) { return { close() {}, move(path) {}, unsaved() {} } },
//   }
//
// `open` shows the area in an empty element; `path` has the decoded segments of the address after its name. Of what it
// returns, `close` is called before the element is emptied. With `move`, a new address of the same area does not open it
// again. With `unsaved`, which returns whether something typed would be lost, the reader is asked before that.
//
// `context` is { client, words, go, notices: { say, fail }, dialogs: { ask, openDialog }, session: { app, readOnly } }.

import { area as activity } from '../areas/activity/activity.js';
import { area as censorship } from '../areas/censorship/censorship.js';
import { area as data } from '../areas/data/data.js';
import { area as files } from '../areas/files/files.js';
import { area as firstSteps } from '../areas/first-steps/first-steps.js';
import { area as people } from '../areas/people/people.js';
import { area as server } from '../areas/server/server.js';

/// The areas of the navigation.
export const areas = [data, files, censorship, people, server, activity];
/// All of them, with those that are not in the navigation.
export const pages = [...areas, firstSteps];
