// What thresholds would do with the scores that the server has counted.

/// The number of steps of a score from 0 to 1.
export const steps = 100;

/// A threshold in steps; it can be between two. Without the error of the product: 0.07 × 100 is more than 7.
export function inSteps(threshold) {
  return Number((threshold * steps).toFixed(6));
}

/// Counts of scores: for each hundredth the files with exactly this score, and those between it and the next.
export class Scores {
  #equal = new Array(steps + 1).fill(0);
  #above = new Array(steps + 1).fill(0);

  /// Adds the results of one call.
  add(results) {
    for (const { score, equal, above } of results) {
      const step = Math.round(score * steps);
      if (!(step in this.#equal)) continue;
      this.#equal[step] += equal;
      this.#above[step] += above;
    }
  }

  /// The files from each hundredth to the next.
  get bars() {
    // A score of 1 belongs to the last bar.
    return Array.from({ length: steps }, (_, step) => this.#equal[step] + this.#above[step]
      + (step === steps - 1 ? this.#equal[steps] : 0));
  }

  get total() {
    return this.bars.reduce((sum, count) => sum + count, 0);
  }

  /// The files that thresholds in hundredths would pass, leave to a person, and block: a score below the first passes,
  /// one above the second is blocked.
  verdicts(passBelow, rejectAbove) {
    const sums = { passed: 0, review: 0, rejected: 0 };
    for (let step = 0; step <= steps; step += 1) {
      sums[step < passBelow ? 'passed' : step > rejectAbove ? 'rejected' : 'review'] += this.#equal[step];
      sums[step < passBelow ? 'passed' : step >= rejectAbove ? 'rejected' : 'review'] += this.#above[step];
    }
    return sums;
  }
}

/// Reads all counts; `onpart(scores)` is called after each answer.
export async function readScores(client, signal, onpart) {
  const scores = new Scores();
  let cursor;
  do {
    const page = await client.get('censorship/scores', { cursor }, { signal });
    scores.add(page.results);
    cursor = page.cursor;
    onpart(scores, cursor !== undefined);
  } while (cursor !== undefined);
  return scores;
}
