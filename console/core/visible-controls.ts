/** Characters that turn round how what follows is drawn (UAX #9: embeddings, overrides and isolates). */
const CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g

/** A text in which these stand as their code, "[U+202E]", so that a name looks as it is. */
export function visibleControls(text: string): string {
  return text.replace(CONTROLS, (control) => `[U+${control.charCodeAt(0).toString(16).toUpperCase()}]`)
}
