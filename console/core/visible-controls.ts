/** Characters that change the direction of the text after them (UAX #9: embeddings, overrides and isolates). */
const CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g

/** The text with these characters replaced by their code, "[U+202E]", so that a name cannot look like another. */
export function visibleControls(text: string): string {
  return text.replace(CONTROLS, (control) => `[U+${control.charCodeAt(0).toString(16).toUpperCase()}]`)
}
