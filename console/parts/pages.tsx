import { texts } from '../texts/index.ts'

/** The page numbers to show around `page`; 0 is a gap. */
function pageNumbers(page: number, pages: number): number[] {
  const shown = new Set([1, 2, page - 1, page, page + 1, pages - 1, pages].filter((n) => n >= 1 && n <= pages))
  const sorted = [...shown].sort((a, b) => a - b)
  return sorted.flatMap((n, index) => (index > 0 && n - (sorted[index - 1] ?? n) > 1 ? [0, n] : [n]))
}

/** Numbered pages of a list. */
export function Pages({ page, pages, href }: { page: number; pages: number; href(page: number): string }) {
  if (pages <= 1) return null
  return (
    <nav class="pages" aria-label={texts.common.pages}>
      {page > 1 && (
        <a class="btn" href={href(page - 1)}>
          {texts.common.newer}
        </a>
      )}
      {pageNumbers(page, pages).map((n, index) =>
        n === 0 ? (
          <span key={`gap-${index}`} class="quiet">
            …
          </span>
        ) : (
          <a
            key={n}
            class="btn icon"
            href={href(n)}
            aria-label={texts.common.page(n)}
            aria-current={n === page ? 'page' : undefined}
          >
            {n}
          </a>
        ),
      )}
      {page < pages && (
        <a class="btn" href={href(page + 1)}>
          {texts.common.older}
        </a>
      )}
    </nav>
  )
}
