// What the app has, by which a step is done.

import { commentClass, sampleClass } from './lines.js';

const none = { limit: '0', count: '1' };

/// `{ classes, files, samples }`: the names of the app's own classes, the number of files, and the number of objects
/// that the lines of step 3 have saved.
export async function readState(client, signal) {
  const [schemas, files] = await Promise.all([
    client.get('schemas', {}, { signal }), client.get('files', none, { signal }),
  ]);
  const classes = Object.keys(schemas).filter((name) => !name.startsWith('_')).sort();
  const written = [sampleClass, commentClass].filter((name) => classes.includes(name));
  const counts = await Promise.all(written.map((name) => client.get(`classes/${name}`, none, { signal })));
  return { classes, files: files.count, samples: counts.reduce((sum, { count }) => sum + count, 0) };
}

/// Whether the app has nothing of its own yet; `false` if that cannot be found out.
export async function isEmptyApp(client) {
  try {
    const { classes, files } = await readState(client);
    return classes.length === 0 && files === 0;
  } catch {
    return false;
  }
}
