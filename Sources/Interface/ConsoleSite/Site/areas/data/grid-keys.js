// The keyboard of a table.

/// Does what a key means in a table; `event` is that of `keydown`.
export function gridKeys(grid, event) {
  if (event.altKey || event.target.matches('textarea, select, input:not([type=checkbox])')) return;
  const { row, column } = grid.active;
  const isJump = event.ctrlKey || event.metaKey;
  const moves = {
    ArrowDown: [row + 1, column], ArrowUp: [row - 1, column],
    ArrowRight: [row, column + 1], ArrowLeft: [row, column - 1],
    PageDown: [row + grid.pageLength, column], PageUp: [Math.max(0, row - grid.pageLength), column],
    Home: [isJump ? 0 : row, 0], End: [isJump ? grid.length - 1 : row, grid.width - 1],
  };
  if (event.key in moves && !event.shiftKey) {
    grid.focus(...moves[event.key]);
  } else if (event.key === 'Enter' || event.key === 'F2') {
    grid.open();
  } else if (event.key === ' ') {
    if (row < 0) grid.open();
    else grid.select();
  } else if (event.key === 'a' && isJump) {
    grid.options.selection?.setAll(true);
  } else if (event.key === 'Delete') {
    grid.options.onRemove?.();
  } else if (event.key === 'Escape') {
    grid.options.selection?.setAll(false);
  } else {
    return;
  }
  event.preventDefault();
}
