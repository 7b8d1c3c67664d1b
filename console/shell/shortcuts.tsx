import { signal } from '@preact/signals'
import { Dialog } from '../parts/dialog.tsx'
import { texts } from '../texts/index.ts'
import { readSetting, writeSetting } from '../upload/order-store.ts'

/** Whether single-letter shortcuts are on. */
export const lettersOn = signal(true)
const helpShown = signal(false)

const GO: Record<string, string> = { s: 'store', l: 'library', w: 'sites', m: 'money', o: 'operate' }
/** The second letter must follow within this time. */
const SEQUENCE_MS = 1500

/** Listens for single letters outside of fields. Returns a function that stops it. */
export function listenForShortcuts(route: (path: string) => void): () => void {
  void readSetting('shortcuts').then((kept) => {
    lettersOn.value = kept !== false
  })
  let startedAt = 0
  const press = (event: KeyboardEvent) => {
    if (!lettersOn.value || event.ctrlKey || event.metaKey || event.altKey || inField(event.target)) return
    if (startedAt > 0 && Date.now() - startedAt < SEQUENCE_MS) {
      const place = GO[event.key]
      if (place) route(`/console/${place}`)
    } else if (event.key === '?') helpShown.value = true
    else if (event.key === '/') {
      const search = document.querySelector<HTMLInputElement>('input[type="search"]')
      search?.focus()
      event.preventDefault()
    } else document.querySelector<HTMLElement>(`[data-shortcut="${CSS.escape(event.key)}"]`)?.click()
    startedAt = event.key === 'g' ? Date.now() : 0
  }
  document.addEventListener('keydown', press)
  return () => document.removeEventListener('keydown', press)
}

export function setLetters(on: boolean): void {
  lettersOn.value = on
  void writeSetting('shortcuts', on)
}

/** The list of shortcuts, on `?`. */
export function Shortcuts() {
  if (!helpShown.value) return null
  const { shortcuts } = texts
  const rows: [string, string][] = [
    ['/', shortcuts.search],
    ['g s, g l, g w, g m, g o', shortcuts.go],
    [`↑ ↓, ${shortcuts.space}, Enter`, shortcuts.list],
    ['p', shortcuts.pay],
    ['Escape', shortcuts.clear],
    ['c', shortcuts.copyAddress],
    ['?', shortcuts.help],
  ]
  return (
    <Dialog
      title={shortcuts.title}
      onClose={() => {
        helpShown.value = false
      }}
    >
      <dl class="facts">
        {rows.map(([keys, what]) => (
          <>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </>
        ))}
      </dl>
      <form method="dialog" class="after">
        <button type="submit" class="btn">
          {texts.common.close}
        </button>
      </form>
    </Dialog>
  )
}

function inField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest('input:not([type=checkbox], [type=radio]), textarea, select, dialog') !== null
  )
}
