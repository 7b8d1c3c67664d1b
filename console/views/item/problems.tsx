import { api, type Schemas } from '../../api/client.ts'
import { useLoad } from '../../hooks/use-load.ts'
import { State } from '../../parts/notice.tsx'
import { Reading } from '../../parts/reading.tsx'
import { texts } from '../../texts/index.ts'

type Problem = Schemas['SiteProblem']

/** Every faulty line of `_headers` and `_redirects` with its text and its fault. */
export function Problems({ item }: { item: string }) {
  const found = useLoad(() => api.GET('/v0/item/{id}/problems', { params: { path: { id: item } } }), [item])
  if (!found.data) return <Reading of={found} what="_headers" rows={2} />
  const { problems, more } = found.data
  if (problems.length === 0) return <p class="quiet after">{texts.problems.none}</p>
  return (
    <>
      <p class="after">
        <ProblemState problems={problems} />
      </p>
      <div class="halves after">
        {(['_headers', '_redirects'] as const).map((file) => {
          const lines = problems.filter((problem) => problem.file === file)
          return lines.length === 0 ? null : <Lines key={file} file={file} lines={lines} />
        })}
      </div>
      {more && <p class="quiet small">{texts.problems.more}</p>}
    </>
  )
}

function ProblemState({ problems }: { problems: readonly Problem[] }) {
  return problems.some(({ effect }) => effect === 'fails') ? (
    <State kind="bad">{texts.problems.breaks}</State>
  ) : (
    <State kind="warn" icon="warning">
      {texts.problems.skipped(problems.length)}
    </State>
  )
}

function Lines({ file, lines }: { file: string; lines: readonly Problem[] }) {
  return (
    <div>
      <h3>
        <code>{file}</code>
      </h3>
      <section class="lines" tabindex={0} aria-label={file}>
        {lines.map(({ line, text, fault }) => (
          <div key={line} class="at">
            <span>
              <span class="vh">{texts.problems.line(line)}</span>
              <span aria-hidden="true">{line}</span>
            </span>
            <span>
              <span class="text">{text}</span>
              <span class="why">{fault}</span>
            </span>
          </div>
        ))}
      </section>
    </div>
  )
}
