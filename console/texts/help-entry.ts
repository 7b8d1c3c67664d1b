/** A question of somebody who stores or pays, and its answer: paragraphs in plain words. */
export interface HelpEntry {
  question: string
  answer: readonly string[]
}
