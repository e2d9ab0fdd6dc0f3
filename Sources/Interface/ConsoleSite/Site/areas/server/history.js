// The figures of the last hour, as `server/history` returns them piece by piece.

const hour = 3_600_000;

export class History {
  times = [];
  series = {};

  /// Adds what is new, and drops what is older than an hour.
  async load(client, signal) {
    const after = this.times.at(-1);
    const answer = await client.get('server/history', { after }, { signal });
    this.times.push(...answer.times);
    for (const [name, values] of Object.entries(answer.series)) (this.series[name] ??= []).push(...values);
    const first = this.times.findIndex((time) => time > (this.times.at(-1) ?? 0) - hour);
    if (first > 0) {
      this.times.splice(0, first);
      for (const values of Object.values(this.series)) values.splice(0, first);
    }
  }
}
