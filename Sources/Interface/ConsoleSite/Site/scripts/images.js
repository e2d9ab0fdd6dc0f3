// Images of the API as blobs: they need the session's token, which an <img> cannot send.

/// Gets the image of a call, and makes sure that it is a raster image, which cannot contain a script.
///
/// `path` is below `/1.1/`, with the operators of the image.
export async function rasterBlob(client, path, signal) {
  const response = await client.request('GET', path, { signal });
  const type = response.headers.get('Content-Type') ?? '';
  if (!/^image\/(jpeg|png|webp|gif|avif)$/.test(type)) throw new TypeError(`The server sent ${type}, not an image.`);
  return response.blob();
}
