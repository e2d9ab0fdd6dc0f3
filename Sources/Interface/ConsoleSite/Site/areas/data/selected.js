// Reads the selected objects from the server, page by page, however many they are.

/// The number of objects of one request, and of ids in one condition.
const pageSize = 200;

/// The selected objects in pages.
///
/// - `where`: the condition of the table; `selection`: what is selected.
/// - `parameters`: further parameters of the requests, for example `keys`.
export async function* selectedPages(client, className, where, selection, parameters = {}) {
  const ids = selection.ids;
  if (!selection.all) {
    for (let start = 0; start < ids.length; start += pageSize) {
      yield* chosen(client, className, ids.slice(start, start + pageSize), parameters);
    }
    return;
  }
  const leftOut = new Set(ids);
  for await (const page of scanned(client, className, where, parameters)) {
    yield page.filter((object) => !leftOut.has(object.objectId));
  }
}

/// Objects by their ids. An answer can have fewer objects than match, because its bytes are limited.
async function* chosen(client, className, ids, parameters) {
  let missing = ids;
  while (missing.length > 0) {
    const reply = await client.get(`classes/${className}`, {
      ...parameters, where: { objectId: { $in: missing } }, limit: pageSize,
    });
    if (reply.results.length === 0) return;
    yield reply.results;
    const found = new Set(reply.results.map((object) => object.objectId));
    missing = missing.filter((id) => !found.has(id));
  }
}

/// All objects that match, by the cursor of a scan: an object that changes meanwhile is not met twice.
async function* scanned(client, className, where, parameters) {
  let cursor;
  do {
    const reply = await client.get(`scan/classes/${className}`, {
      ...parameters, where, limit: pageSize, ...(cursor === undefined ? {} : { cursor }),
    });
    yield reply.results;
    cursor = reply.cursor ?? null;
  } while (cursor !== null);
}
