// Deletes the selected objects: says how many, asks, and shows how far it is.
import { both } from './condition.js';
import { withProgress } from './progress.js';
import { selectedPages } from './selected.js';

/// The number of ids of one request.
const idsOfRequest = 100;

/// Deletes what is selected.
///
/// - `className`, `where`, `selection`, `context`.
///
/// Resolves to whether something may have been deleted.
export async function removeSelected({ className, where, selection, context }) {
  const { client, words, dialogs, notices } = context;
  // Objects that are created after the question are not part of it.
  const matching = selection.all ? both(where, { createdAt: { $lte: await client.time() } }) : where;
  const count = await countOf(client, className, matching, selection);
  if (count === 0) return false;
  const isSure = await dialogs.ask({
    title: words('data.remove.title', { count, className }),
    text: words(
      className === '_File' ? 'data.remove.files' : selection.all ? 'data.remove.all' : 'data.remove.text',
      { count, className },
    ),
    confirm: words('data.remove.confirm', { count }), danger: true,
  });
  if (!isSure) return false;
  const title = words('data.remove.running', { className });
  let done = 0;
  try {
    await withProgress({ title, words, total: count, run: async (report) => {
      for await (const page of selectedPages(client, className, matching, selection, { keys: 'objectId' })) {
        for (let start = 0; start < page.length; start += idsOfRequest) {
          const ids = page.slice(start, start + idsOfRequest).map((object) => object.objectId);
          await client.send('DELETE', `classes/${className}/${ids.join(',')}`);
          done += ids.length;
          if (!report(done)) return;
        }
      }
    } });
  } catch (error) {
    notices.fail(error);
  }
  notices.say(words('data.remove.done', { count: done, className }));
  return true;
}

/// The number of selected objects now; what matches is counted again, because it can have changed.
async function countOf(client, className, where, selection) {
  if (!selection.all) return selection.ids.length;
  const reply = await client.get(`classes/${className}`, { where, limit: 0, count: 1 });
  return selection.size(reply.count);
}
