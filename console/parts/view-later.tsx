import type { ComponentType } from 'preact'
import { lazy } from 'preact-iso'
import { texts } from '../texts/index.ts'

/** Shown where a part of the console cannot be loaded, for example after a new version. */
export function NotLoaded() {
  return (
    <div class="page">
      <h1>{texts.failures.reload}</h1>
      <p>
        <button type="button" class="btn primary" onClick={() => location.reload()}>
          {texts.failures.reloadButton}
        </button>
      </p>
    </div>
  )
}

/** A view that is loaded when it is first shown. preact-iso waits for ever for one whose load fails. */
export function viewLater(load: () => Promise<{ default: ComponentType }>) {
  return lazy(() => load().catch(() => ({ default: NotLoaded })))
}
