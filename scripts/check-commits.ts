import { execFileSync } from 'node:child_process'

// Holds the subjects of commits to CONTRIBUTING.md. What is older than the rule stays as it is.

/** The last commit before the rule. */
const BEFORE = 'b9ea7a1a654b94109515f99cdc3b09c899b7242c'
const MAX_CHARACTERS = 72
const UNFINISHED = /^(wip|tmp|fixup!|squash!)/i

const git = (...words: string[]) =>
  execFileSync('git', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })

/** The subjects since then, the newest first; `undefined` where this is no clone with that commit. */
function readSubjects(): string[] | undefined {
  try {
    return git('log', '--no-merges', '--format=%s', `${BEFORE}..HEAD`).split('\n').filter(Boolean)
  } catch {
    return undefined
  }
}

const subjects = readSubjects()
if (!subjects) console.warn('Commits were not checked: this folder is no full clone.')
const wrong = subjects?.filter(
  (subject) => subject.length > MAX_CHARACTERS || !/^[A-Z]\w+,? .*[^.]$/.test(subject) || UNFINISHED.test(subject),
)
for (const subject of wrong ?? [])
  console.error(`The subject of a commit is no imperative of ${MAX_CHARACTERS} characters: ${subject}`)
if (wrong?.length) process.exitCode = 1
