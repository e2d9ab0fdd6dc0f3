// The names of classes for people.

const explained = ['_File', '_User', '_Role'];

/// Whether a class has a name for people.
export function isExplained(name) {
  return explained.includes(name);
}

/// The name of a class: the best known built-in ones are called by what they hold.
export function titleOf(name, words) {
  return isExplained(name) ? words(`people.class.${name}`) : name;
}
