import { signal } from '@preact/signals'

export type Theme = 'system' | 'light' | 'dark'

const KEY = 'hookline-theme'

export const theme = signal<Theme>(readTheme())

/** Applies the colours that were chosen in this browser. */
export function applyTheme(): void {
  document.documentElement.dataset.theme = theme.value
}

export function setTheme(next: Theme): void {
  theme.value = next
  applyTheme()
  try {
    localStorage.setItem(KEY, next)
  } catch {
    // Without storage the choice lasts until the tab is closed.
  }
}

function readTheme(): Theme {
  try {
    const kept = localStorage.getItem(KEY)
    return kept === 'light' || kept === 'dark' ? kept : 'system'
  } catch {
    return 'system'
  }
}
