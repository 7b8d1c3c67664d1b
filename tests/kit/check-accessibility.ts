import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const require = createRequire(import.meta.url)
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

/** The violations that axe finds in a page, as sentences. */
export async function axeViolations(page: Page): Promise<string[]> {
  await page.evaluate(AXE)
  return page.evaluate(async () => {
    const axe: unknown = Reflect.get(globalThis, 'axe')
    if (typeof axe !== 'object' || axe === null || !('run' in axe) || typeof axe.run !== 'function') return ['no axe']
    const { violations } = await axe.run()
    return violations.map(
      (each: { id: string; nodes: { html: string }[] }) =>
        `${each.id}: ${each.nodes
          .slice(0, 3)
          .map(({ html }) => html)
          .join(' | ')}`,
    )
  })
}

/**
 * Buttons and fields smaller than 24 by 24 CSS px (WCAG 2.2, 2.5.8), or less high than `height`; links inside sentences
 * are exempt.
 */
export async function smallTargets(page: Page, height = 24): Promise<string[]> {
  return page.locator('button, select, nav a, input:not([type=checkbox], [type=radio], [hidden])').evaluateAll(
    (elements, least) =>
      elements
        .map((element) => ({ element, box: element.getBoundingClientRect() }))
        .filter(({ element, box }) => {
          // The path above a title is a sentence of links.
          const high = element.closest('.crumb') ? 24 : least
          return box.width > 0 && (box.width < 24 || Math.round(box.height) < high)
        })
        .map(({ element }) => element.outerHTML.slice(0, 120)),
    height,
  )
}

/** Elements that are covered, or outside the window, when they have the focus (WCAG 2.2, 2.4.11). */
export async function obscuredWhenFocused(page: Page): Promise<string[]> {
  return page
    .locator('main :is(a[href], button:not([disabled]), input:not([hidden]), select, summary)')
    .evaluateAll((elements) =>
      elements
        .filter((element) => {
          const before = element.getBoundingClientRect()
          if (before.width < 2 || before.height < 2) return false
          element.focus()
          const { x, y, width, height } = element.getBoundingClientRect()
          const { documentElement, elementFromPoint } = element.ownerDocument
          const inside = Math.min(x + width / 2, documentElement.clientWidth - 1)
          const top = elementFromPoint.call(element.ownerDocument, inside, y + height / 2)
          return !top || !(element.contains(top) || top.contains(element))
        })
        .map((element) => element.outerHTML.slice(0, 120)),
    )
}

/** By how many CSS px a page is wider than its window. */
export async function horizontalOverflow(page: Page): Promise<number> {
  return page.locator('html').evaluate((root) => Math.max(0, root.scrollWidth - root.clientWidth))
}
