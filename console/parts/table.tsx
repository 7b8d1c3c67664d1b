/** The head of a table: titles, titles over numbers (`num`), and titles for screen readers only (`hidden`). */
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

/** The checkbox of a table row, labelled for screen readers. */
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
