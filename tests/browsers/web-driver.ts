import { isRecord } from '../../worker/platform/http/is-record.ts'
import type { EnginePage } from './engine-page.ts'

/** The key under which WebDriver names an element (https://www.w3.org/TR/webdriver2/#elements). */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'

/** How often the page is looked at while something is waited for, and how long at most; in milliseconds. */
const LOOK_MS = 200
export const WAIT_MS = 90_000

/** What a driver refuses: `code` is WebDriver's own, such as `no such element`. */
class WebDriverError extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(`${code}: ${message}`)
    this.code = code
  }
}

/** A page in a browser that speaks WebDriver (https://www.w3.org/TR/webdriver2/). */
export class WebDriverPage implements EnginePage {
  readonly #session: string

  private constructor(session: string) {
    this.#session = session
  }

  /** Opens a browser through a driver at `url`. */
  static async open(url: string, capabilities: Record<string, unknown>): Promise<WebDriverPage> {
    const value = await command(`${url}/session`, { capabilities: { alwaysMatch: capabilities } })
    const { sessionId } = { sessionId: undefined, ...(isRecord(value) ? value : {}) }
    if (typeof sessionId !== 'string') throw new Error('the driver gave no session')
    return new WebDriverPage(`${url}/session/${sessionId}`)
  }

  async goto(url: string): Promise<void> {
    await command(`${this.#session}/url`, { url })
  }

  async resize(width: number, height: number): Promise<void> {
    await command(`${this.#session}/window/rect`, { width, height })
  }

  async read(expression: string): Promise<unknown> {
    return await this.#run(`return ${expression}`)
  }

  async readInFrame(selector: string, expression: string): Promise<unknown> {
    try {
      for (const each of selector.split(' >> ')) {
        await command(`${this.#session}/frame`, { id: { [ELEMENT]: await this.see(each) } })
      }
      return await this.read(expression)
    } finally {
      await command(`${this.#session}/frame`, { id: null })
    }
  }

  /** Runs a function's body in the page, with its arguments in `arguments`. */
  async #run(script: string, ...args: unknown[]): Promise<unknown> {
    return await command(`${this.#session}/execute/sync`, { script, args })
  }

  /** Runs the body of a function in the page until it returns a truthy value, and returns that. */
  async #until(script: string, ...args: unknown[]): Promise<unknown> {
    const last = Date.now() + WAIT_MS
    for (;;) {
      // No script can run in a page that is being unloaded.
      const value = await this.#run(script, ...args).catch((error: unknown) => {
        if (error instanceof WebDriverError) return undefined
        throw error
      })
      if (value) return value
      if (Date.now() > last) {
        throw new Error(
          `not seen: ${script} ${JSON.stringify(args)}; the page says: ${await this.read('document.body.innerText')}`,
        )
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
  }

  async see(selector: string, text = ''): Promise<string> {
    const found = await this.#until(
      `return [...document.querySelectorAll(arguments[0])].find((each) =>
         (each.type === 'file' || each.checkVisibility()) && each.textContent.includes(arguments[1]))`,
      selector,
      text,
    )
    const id = isRecord(found) ? found[ELEMENT] : undefined
    if (typeof id !== 'string') throw new Error(`no element for ${selector}`)
    return id
  }

  async click(selector: string, text = ''): Promise<void> {
    const id = await this.see(selector, text)
    // The driver of WebKitGTK does not scroll a part of the page on its own.
    await this.#run("arguments[0].scrollIntoView({ block: 'center', behavior: 'instant' })", { [ELEMENT]: id })
    await command(`${this.#session}/element/${id}/click`, {})
  }

  async type(selector: string, text: string): Promise<void> {
    await command(`${this.#session}/element/${await this.see(selector)}/value`, { text })
  }

  async close(): Promise<void> {
    await command(this.#session, undefined, 'DELETE')
  }
}

async function command(url: string, body?: Record<string, unknown>, method = 'POST'): Promise<unknown> {
  const answer = await fetch(url, { method, ...(body && { body: JSON.stringify(body) }) })
  const { value }: { value: unknown } = JSON.parse(await answer.text())
  if (answer.ok) return value
  const refusal = isRecord(value) ? value : {}
  throw new WebDriverError(String(refusal.error), String(refusal.message))
}
