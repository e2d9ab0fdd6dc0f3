// Which objects of a query are selected: some by their ids, or all that match without some.
export class Selection {
  #ids = new Set();

  /// Called with no value after each change.
  onChange = () => {};

  constructor() {
    /// Whether everything that matches is selected, without the ids that were taken out.
    this.all = false;
  }

  has(id) { return this.#ids.has(id) !== this.all; }

  toggle(id) { this.set(id, !this.has(id)); }

  set(id, isSelected) {
    if (isSelected === this.all) this.#ids.delete(id);
    else this.#ids.add(id);
    this.onChange();
  }

  /// Selects everything that matches, or nothing.
  setAll(all) {
    this.all = all;
    this.#ids.clear();
    this.onChange();
  }

  /// The number of selected objects among `count` that match.
  size(count) { return this.all ? Math.max(0, count - this.#ids.size) : this.#ids.size; }

  /// The ids that were chosen one by one: those that are selected, or those that are left out if `all` is true.
  get ids() { return [...this.#ids]; }
}
