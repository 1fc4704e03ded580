"""Markdown tables that can be read on a terminal too."""


def table(header, rows):
    cells = [[str(cell) for cell in row] for row in (header, *rows)]
    widths = [max(map(len, column)) for column in zip(*cells)]
    lines = ["| " + " | ".join(_aligned(row, widths)) + " |" for row in cells]
    rule = "|" + "|".join("-" * (width + 1) + (":" if i else "-")
                          for i, width in enumerate(widths)) + "|"
    return "\n".join([lines[0], rule, *lines[1:]])


def _aligned(row, widths):
    """Names to the left, numbers to the right."""
    return [cell.rjust(width) if i else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths))]
