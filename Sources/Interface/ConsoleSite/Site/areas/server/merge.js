// Shows new values without making the nodes anew, so that focus, selection and scroll position stay.

/// Changes what differs in a node to what a newly made one has. Listeners stay those of the old node.
export function merge(old, made) {
  if (old.nodeType !== made.nodeType || old.nodeName !== made.nodeName) {
    old.replaceWith(made);
    return;
  }
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== made.data) old.data = made.data;
    return;
  }
  for (const name of made.getAttributeNames()) {
    if (old.getAttribute(name) !== made.getAttribute(name)) old.setAttribute(name, made.getAttribute(name));
  }
  for (const name of old.getAttributeNames()) if (!made.hasAttribute(name)) old.removeAttribute(name);
  const children = [...made.childNodes];
  while (old.childNodes.length > children.length) old.lastChild.remove();
  for (const [index, child] of children.entries()) {
    if (index < old.childNodes.length) merge(old.childNodes[index], child);
    else old.append(child);
  }
}
