from __future__ import annotations

from matrices.collect.tables import read_links, read_tables


def test_spans_are_written_out() -> None:
    page = b"""<table><caption>A <b>caption</b></caption>
      <tr><th rowspan=2>a</th><th colspan=2>b</th></tr>
      <tr><th>c</th><th>d</th></tr>
      <tr><td>1</td><td rowspan=3>2</td><td>3</td></tr>
      <tr><td>4</td><td>5</td></tr>
      <tr><td>6</td></tr>
    </table>"""
    [table] = read_tables(page)
    assert table.caption == "A caption"
    assert table.rows == [["a", "b", "b"], ["a", "c", "d"], ["1", "2", "3"], ["4", "2", "5"], ["6", "2"]]


def test_a_table_inside_a_cell_is_its_text() -> None:
    [table] = read_tables(b"<table><tr><td>one <table><tr><td>two</td></tr></table> three</td></tr></table>")
    assert table.rows == [["one two three"]]


def test_what_is_not_well_formed_is_read_as_far_as_it_goes() -> None:
    [table] = read_tables(b"</table><table><td>lost</td><tr><td colspan='x'>kept<td rowspan=0>too")
    assert table.rows == [["kept", "too"]]


def test_links_with_and_without_an_address() -> None:
    page = b"<a href='one'> first </a><a name='x'>none</a></a><a href='two'>se<b>co</b>nd</a>"
    assert read_links(page) == [("one", "first"), ("two", "second")]
