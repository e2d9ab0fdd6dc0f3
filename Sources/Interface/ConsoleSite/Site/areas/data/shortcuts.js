// The keys of the tables and panels of this area, for the list of shortcuts.

export const shortcuts = [
  { keys: '↑ ↓ ← →', text: 'data.key.move' },
  { keys: 'PageUp, PageDown', text: 'data.key.page' },
  { keys: 'Home, End', text: 'data.key.row' },
  { keys: 'Ctrl+Home, Ctrl+End', text: 'data.key.table' },
  { keys: 'Enter, F2', text: 'data.key.open' },
  { keys: 'Space', text: 'data.key.select' },
  { keys: 'Ctrl+A', text: 'data.key.all' },
  { keys: 'Delete', text: 'data.key.remove' },
  { keys: 'Esc', text: 'data.key.none' },
  { keys: 'Ctrl+Enter', text: 'data.key.save' },
];
