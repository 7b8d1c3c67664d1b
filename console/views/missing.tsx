import { Page } from '../parts/page.tsx'
import { texts } from '../texts/index.ts'

/** The page for an unknown address. */
export default function Missing() {
  return (
    <Page title={texts.failures.gone}>
      <p>
        <a class="btn" href="/console/library">
          {texts.failures.toLibrary}
        </a>
      </p>
    </Page>
  )
}
