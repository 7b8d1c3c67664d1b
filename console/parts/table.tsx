/** The head of a table: words, words over numbers (`num`), and words that are only read aloud (`hidden`). */
export function TableHead(props: { columns: readonly (string | { num: string } | { hidden: string })[] }) {
  return (
    <thead>
      <tr>
        {props.columns.map((column) =>
          typeof column === 'string' ? (
            <th key={column}>{column}</th>
          ) : 'num' in column ? (
            <th key={column.num} class="num">
              {column.num}
            </th>
          ) : (
            <th key={column.hidden}>
              <span class="vh">{column.hidden}</span>
            </th>
          ),
        )}
      </tr>
    </thead>
  )
}

/** A box to tick a row of a table, with its name for those who do not see the row. */
export function Tick(props: { label: string; checked: boolean; disabled?: boolean; onChange(checked: boolean): void }) {
  const { label, checked, disabled = false, onChange } = props
  return (
    <span class="tick">
      <input
        type="checkbox"
        aria-label={label}
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    </span>
  )
}
