"""The database under everything: transactions, threads, forks, and errors in plain words."""

from __future__ import annotations

import gc
import random
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.store.processes import run_python
from vidence.errors import BackendError, UserError, VidenceError
from vidence.store.sqlite import Database, database


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "vidence.db"


def _count(db: Database) -> int:
    with db.read() as reader:
        return int(reader.execute("SELECT count(*) FROM results").fetchone()[0])


def _put(connection: sqlite3.Connection, key: str) -> None:
    connection.execute("INSERT INTO results VALUES (?, '{}')", (key,))


def _put_one(db: Database) -> None:
    with db.transaction() as tx:
        _put(tx, "one")


def test_settings_hold_in_every_thread(path: Path) -> None:
    def pragmas() -> list[object]:
        with db.read() as reader:
            names = ("journal_mode", "foreign_keys", "synchronous")
            return [reader.execute(f"PRAGMA {name}").fetchone()[0] for name in names]

    with Database.open(path) as db, ThreadPoolExecutor(1) as pool:
        assert pragmas() == pool.submit(pragmas).result() == ["wal", 1, 1]


def test_failed_transaction_leaves_nothing(path: Path) -> None:
    with Database.open(path) as db:
        _fail_after_putting(db, "a")
        assert _count(db) == 0


def test_inner_transaction_fails_alone_and_is_kept_with_the_outer_one(path: Path) -> None:
    with Database.open(path) as db:
        with db.transaction() as outer:
            _put(outer, "a")
            _fail_after_putting(db, "b")
            with db.transaction() as inner:
                _put(inner, "c")
        assert _count(db) == 2


def test_failed_outer_transaction_takes_the_inner_one_with_it(path: Path) -> None:
    def fail(db: Database) -> None:
        with db.transaction():
            with db.transaction() as inner:
                _put(inner, "a")
            raise ZeroDivisionError

    with Database.open(path) as db:
        with pytest.raises(ZeroDivisionError):
            fail(db)
        assert _count(db) == 0


def _fail_after_putting(db: Database, key: str) -> None:
    def fail() -> None:
        with db.transaction() as tx:
            _put(tx, key)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()


def test_reads_see_one_moment(path: Path) -> None:
    with Database.open(path) as db, ThreadPoolExecutor(1) as pool:

        def write() -> None:
            with db.transaction() as tx:
                _put(tx, "a")

        with db.read() as reader:
            before = reader.execute("SELECT count(*) FROM results").fetchone()[0]
            pool.submit(write).result()
            assert reader.execute("SELECT count(*) FROM results").fetchone()[0] == before == 0
        assert _count(db) == 1


def test_a_transaction_inside_a_read_is_a_mistake_said_at_once(path: Path) -> None:
    with (
        Database.open(path) as db,
        db.read(),
        pytest.raises(RuntimeError, match="inside a read"),
        db.transaction(),
    ):
        pass


def test_many_threads_write_at_once(path: Path) -> None:
    with Database.open(path) as db:

        def write(worker: int) -> None:
            for n in range(25):
                with db.transaction() as tx:
                    _put(tx, f"{worker}-{n}")

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(write, range(8)))
        assert _count(db) == 200


def test_threads_that_ended_leave_no_connections_behind(path: Path) -> None:
    with Database.open(path) as db:
        for _ in range(40):
            thread = threading.Thread(target=_count, args=(db,))
            thread.start()
            thread.join()
        ours = [
            fd for fd in Path("/proc/self/fd").iterdir() if fd.is_symlink() and fd.resolve() == path.resolve()
        ]
        assert len(ours) <= 2


def test_close_releases_every_thread_and_says_so_afterwards(path: Path) -> None:
    db = Database.open(path)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(_count, db).result()
        db.close()
        db.close()
        assert not path.with_name("vidence.db-wal").exists(), "the last close tidies the log away"
        with pytest.raises(BackendError, match="was closed"):
            pool.submit(_count, db).result()


def test_a_forgotten_database_closes_itself_without_a_warning(path: Path) -> None:
    db = Database.open(path)
    del db
    gc.collect()
    assert not path.with_name("vidence.db-wal").exists()


FORK = """
    import os, sys
    from pathlib import Path
    from vidence.errors import BackendError
    from vidence.store.sqlite import Database, database

    def put(connection, key):
        connection.execute("INSERT INTO results VALUES (?, '{}')", (key,))

    def child(work):
        pid = os.fork()
        if pid == 0:
            try:
                work()
            finally:
                sys.stdout.flush()
                os._exit(0)
        os.waitpid(pid, 0)

    db = Database.open(Path(sys.argv[1]))
"""


def test_a_forked_child_reads_and_writes_beside_its_parent(path: Path) -> None:
    code = """
    def work():
        with db.transaction() as tx:
            put(tx, "child")

    with db.transaction() as tx:
        put(tx, "parent")
    child(work)
    with db.transaction() as tx:
        put(tx, "after")
    db.close()
    """
    run_python(FORK + code, path)
    with Database.open(path) as db:
        assert _count(db) == 3


def test_a_child_forked_inside_a_transaction_cannot_touch_it(path: Path) -> None:
    code = """
    def work():
        try:
            with db.transaction():
                print("begun")
        except BackendError as exc:
            print(exc)

    with db.transaction() as tx:
        put(tx, "parent")
        child(work)
        put(tx, "after")
    db.close()
    """
    told = run_python(FORK + code, path).stdout
    assert "forked while" in told
    assert "'spawn'" in told
    with Database.open(path) as db:
        assert _count(db) == 2


def test_a_child_that_leaves_its_parents_transaction_commits_nothing(path: Path) -> None:
    code = """
    try:
        with db.transaction() as tx:
            put(tx, "parent")
            pid = os.fork()
            if pid:
                os.waitpid(pid, 0)
                raise KeyError("the parent thinks better of it")
    except BackendError as exc:
        print(exc, flush=True)
        os._exit(0)
    except KeyError:
        db.close()
    """
    assert "stays with its parent" in run_python(FORK + code, path).stdout
    with Database.open(path) as db:
        assert _count(db) == 0


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"this is no database, only text" * 100, "not a vidence database"),
        (b"SQLite format 3\0" + b"\xff" * 4096, "vidence.db"),
    ],
)
def test_something_else_in_its_place_is_refused_and_left_alone(path: Path, content: bytes, word: str) -> None:
    path.write_bytes(content)
    with pytest.raises(VidenceError, match=word) as caught:
        Database.open(path)
    _is_one_clear_line(caught.value, path)
    assert path.read_bytes() == content


def test_another_programs_database_is_refused_and_left_alone(path: Path) -> None:
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE theirs (x)")
    other.close()
    before = path.read_bytes()
    with pytest.raises(UserError, match="another program's database"):
        Database.open(path)
    assert path.read_bytes() == before


def test_damaged_pages_are_reported(path: Path) -> None:
    with Database.open(path) as db, db.transaction() as tx:
        for n in range(200):
            tx.execute("INSERT INTO results VALUES (?, ?)", (str(n), "x" * 500))
    data, noise = bytearray(path.read_bytes()), random.Random(1)
    for page in range(4096 * 3, len(data), 4096):
        data[page : page + 100] = noise.randbytes(100)
    path.write_bytes(data)
    with (
        pytest.raises(BackendError, match=r"is damaged\. Run `vidence doctor --repair`") as caught,
        Database.open(path) as db,
        db.read() as reader,
    ):
        reader.execute("SELECT body FROM results").fetchall()
    _is_one_clear_line(caught.value, path)


def test_a_folder_where_the_database_should_be_is_said_plainly(path: Path) -> None:
    path.mkdir()
    with pytest.raises(BackendError, match="cannot be opened for writing") as caught:
        Database.open(path)
    _is_one_clear_line(caught.value, path)


def test_an_interrupt_right_after_begin_holds_no_lock(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Database.open(path) as db:
        patiently = database._patiently

        def interrupted(action: Callable[[], object]) -> None:
            patiently(action)
            raise KeyboardInterrupt

        monkeypatch.setattr(database, "_patiently", interrupted)
        with pytest.raises(KeyboardInterrupt):
            _put_one(db)
        monkeypatch.undo()
        _put_one(db)
        assert _count(db) == 1


def test_a_transaction_sqlite_rolled_back_itself_cannot_be_committed(path: Path) -> None:
    with Database.open(path) as db:

        def lose() -> None:
            with db.transaction() as tx:
                tx.execute("ROLLBACK")

        with pytest.raises(BackendError, match="no transaction is active"):
            lose()


def test_a_file_where_the_folder_should_be_is_a_user_error(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("not a folder")
    with pytest.raises(UserError, match="a file where a folder should be"):
        Database.open(tmp_path / "home" / "vidence.db")


@pytest.mark.parametrize("existing", [False, True])
def test_a_folder_that_may_not_be_written_is_said_plainly(tmp_path: Path, existing: bool) -> None:
    home = tmp_path / "home"
    home.mkdir()
    if existing:
        Database.open(home / "vidence.db").close()
    for folder in [home, *tmp_path.resolve().parents]:
        if folder.is_relative_to("/tmp") and folder != Path("/tmp"):
            folder.chmod(0o755)
    home.chmod(0o555)
    code = """
        import os, sys
        from pathlib import Path
        from vidence.errors import VidenceError
        from vidence.store.sqlite import SqliteStore
        if os.getuid() == 0:
            os.setuid(65534)  # root may write anywhere
        try:
            SqliteStore.open(Path(sys.argv[1]))
        except VidenceError as exc:
            print(exc)
    """
    told = run_python(code, home).stdout
    home.chmod(0o755)
    assert "VIDENCE_HOME" in told, told
    assert told.count("\n") == 1


def test_a_write_lock_kept_too_long_names_the_cause(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vidence.store.sqlite.database._PATIENCE_S", 0.0)
    monkeypatch.setattr("vidence.store.sqlite.database._BUSY_TIMEOUT_S", 0.1)
    with Database.open(path) as db:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(BackendError, match="kept busy by another process"), db.transaction():
            pass
        other.close()
        assert _count(db) == 0


def test_whoever_has_the_whole_file_for_a_moment_is_waited_for(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first process to open the file, and the last to close it, lock out all others meanwhile."""
    monkeypatch.setattr("vidence.store.sqlite.database._BUSY_TIMEOUT_S", 0.0)
    Database.open(path).close()
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN IMMEDIATE")
    other.execute("COMMIT")
    letting_go = threading.Timer(0.3, other.close)
    letting_go.start()
    with Database.open(path) as db:
        assert _count(db) == 0
    letting_go.join()


def test_rows_of_an_unknown_video_are_refused_with_a_remedy(path: Path) -> None:
    with (
        Database.open(path) as db,
        pytest.raises(UserError, match=r"not in the catalogue .* Add it again"),
        db.transaction() as tx,
    ):
        tx.execute("INSERT INTO video_locations VALUES ('vid_0', '/x', 0, 0, 0)")


def _is_one_clear_line(error: VidenceError, path: Path) -> None:
    assert str(path) in str(error)
    assert "\n" not in str(error)
