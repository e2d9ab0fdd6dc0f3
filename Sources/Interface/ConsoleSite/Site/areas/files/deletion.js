// Deletes files after a question that says how many, and whether they can be restored.

const batch = 100;

/// Asks, deletes, and shows messages. `records` are those of the files; returns whether any file was deleted.
export async function deleteFiles(records, { client, words, dialogs, notices }, onprogress = () => {}) {
  const { trashKeep } = await client.get('usage');
  // Whole days: the files must not be gone before the time that the question promises.
  const days = Math.floor(trashKeep / 86_400);
  const count = records.length;
  const text = trashKeep > 0
    ? words(days > 0 ? 'files.delete.trash' : 'files.delete.trashShort', { count: days })
    : words('files.delete.final');
  const isWanted = await dialogs.ask({
    title: words('files.delete.title', { count }),
    text: [count === 1 ? records[0].name ?? records[0].objectId : words('files.delete.count', { count }), text],
    confirm: words('files.delete.confirm', { count }),
    danger: true,
  });
  if (!isWanted) return false;
  let deleted = 0;
  try {
    for (let first = 0; first < count; first += batch) {
      const ids = records.slice(first, first + batch).map((record) => encodeURIComponent(record.objectId));
      await client.send('DELETE', `files/${ids.join(',')}`);
      deleted += ids.length;
      onprogress(deleted);
    }
    notices.say(words(trashKeep > 0 ? 'files.deleted.trash' : 'files.deleted', { count: deleted }));
  } catch (error) {
    if (deleted > 0) notices.say(words('files.deleted', { count: deleted }));
    notices.fail(error);
  }
  return deleted > 0;
}
