// Finds the objects that refer to a file, by queries of the public API.

const parallel = 4;
const most = 20;

/// The conditions under which an object of a class refers to a file; empty if it cannot.
function conditions(fields, record) {
  const pointer = { __type: 'Pointer', className: '_File', objectId: record.objectId };
  const file = { __type: 'File', id: record.objectId };
  return Object.entries(fields).flatMap(([name, { type, className }]) => {
    if (type === 'File') return [{ [name]: file }];
    if ((type === 'Pointer' || type === 'Relation') && className === '_File') return [{ [name]: pointer }];
    if (type === 'Array') return [{ [name]: file }, { [name]: pointer }];
    return [];
  });
}

/// The conditions under which a string of an object contains the URL or the key of a file.
function conditionsOfTexts(fields, { key }) {
  if (!key) return [];
  const pattern = `\\Q${key}\\E`;
  return Object.entries(fields)
    .filter(([name, { type }]) => type === 'String' && name !== 'objectId')
    .map(([name]) => ({ [name]: { $regex: pattern } }));
}

/// The fields of an object in which the file occurs.
function fieldsIn(object, record) {
  return Object.entries(object)
    .filter(([, value]) => {
      const text = JSON.stringify(value);
      return text.includes(record.objectId) || (record.key && text.includes(record.key));
    })
    .map(([name]) => name);
}

/// Searches all classes of the app.
///
/// - `texts`: whether strings are searched for the key, which reads each object of a class.
/// - `onfound({ className, count, objects: [{ id, fields }] })`: called for each class with references.
/// - `onskipped(className, error)`: called for a class that could not be searched.
///
/// Returns the number of classes that were searched.
export async function findReferences(client, record, { texts, signal, onfound, onskipped }) {
  const schemas = await client.get('schemas', {}, { signal });
  // Of the server's own classes only these have fields of the app.
  const ofApp = new Set(['_User', '_Role', '_Installation', '_Status', '_Conversation']);
  const searches = Object.entries(schemas)
    .filter(([name]) => !name.startsWith('_') || ofApp.has(name))
    .map(([name, fields]) => ({
      name, or: texts ? conditionsOfTexts(fields, record) : conditions(fields, record),
    }))
    .filter(({ or }) => or.length > 0);
  const waiting = [...searches];
  const work = async () => {
    for (let search = waiting.shift(); search; search = waiting.shift()) {
      const { name, or } = search;
      try {
        const query = { where: or.length === 1 ? or[0] : { $or: or }, limit: String(most), count: '1' };
        const { results, count } = await client.get(`classes/${encodeURIComponent(name)}`, query, { signal });
        const objects = results.map((object) => ({ id: object.objectId, fields: fieldsIn(object, record) }));
        if (count > 0) onfound({ className: name, count, objects });
      } catch (error) {
        if (signal.aborted) throw error;
        onskipped(name, error);
      }
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  return searches.length;
}
