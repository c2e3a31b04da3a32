/** Colours are variables of the drawing: a page may set them, and a drawing alone follows the system. */
export const SVG_STYLE = `
.statechart { --chart-ground: #ffffff; --chart-box: #eef2f6; --chart-border: #7d8894; --chart-ink: #1c2128; --chart-soft: #57606a; --chart-line: #5b6672 }
@media (prefers-color-scheme: dark) {
.statechart { --chart-ground: #0d1117; --chart-box: #1b222c; --chart-border: #6e7a87; --chart-ink: #e6edf3; --chart-soft: #a3adb8; --chart-line: #8b97a4 }
}
.statechart text { font-family: Arial, "Liberation Sans", Helvetica, sans-serif; fill: var(--chart-ink) }
.statechart .title { font-weight: bold }
.statechart .condition { font-style: italic }
.statechart .condition, .statechart .note { fill: var(--chart-soft) }
.statechart .ground, .statechart .line rect { fill: var(--chart-ground) }
.statechart .state rect, .statechart .any rect { fill: var(--chart-box); stroke: var(--chart-border) }
.statechart .around rect { fill: var(--chart-ground) }
.statechart .any rect { fill: none; stroke-dasharray: 3 2 }
.statechart .final rect { stroke-width: 3 }
.statechart .line polyline { fill: none; stroke: var(--chart-line) }
.statechart .head path { fill: var(--chart-line) }
`;
