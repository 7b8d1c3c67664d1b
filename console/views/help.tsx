import { useState } from 'preact/hooks'
import { Field } from '../parts/field.tsx'
import { Page } from '../parts/page.tsx'
import { viewLater } from '../parts/view-later.tsx'
import { help } from '../texts/help.ts'
import type { HelpEntry } from '../texts/help-entry.ts'
import { texts } from '../texts/index.ts'

const Decode = viewLater(() => import('./help/decode.tsx'))

/** Questions and answers in plain words, searched by words of both. */
export default function Help() {
  const [wanted, setWanted] = useState('')
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean)
  const found = help.filter((entry) => words.every((word) => textOf(entry).includes(word)))
  return (
    <Page title={texts.help.title} lead={texts.help.lead} narrow>
      <Field label={texts.help.search} type="search" value={wanted} onValue={setWanted} />
      <p class="vh" role="status">
        {words.length > 0 && texts.help.found(found.length)}
      </p>
      <div class="help">
        {found.map((entry) => (
          <details key={entry.question} open={words.length > 0 && found.length <= 3}>
            <summary>{entry.question}</summary>
            {entry.answer.map((paragraph) => (
              <p key={paragraph}>{paragraph}</p>
            ))}
          </details>
        ))}
      </div>
      {found.length === 0 && <p>{texts.help.none(wanted)}</p>}
      <Decode />
      <p class="quiet after">
        {texts.help.programs} <a href="/docs">{texts.help.api}</a>
      </p>
    </Page>
  )
}

function textOf({ question, answer }: HelpEntry): string {
  return [question, ...answer].join(' ').toLowerCase()
}
