import { Page } from '../parts/page.tsx'
import { texts } from '../texts/index.ts'

/** An address of the console that leads nowhere. */
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
