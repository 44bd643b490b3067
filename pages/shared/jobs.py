"""Long work off the page's thread: how far it is, how long it may take, cancelled between folds, kept over pages.

In: a study to be run, of this session. Out: one `Job` a kind of work, with the results so far; nothing is written down.
"""

from __future__ import annotations

import itertools
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from engine.errors import PenumbraError
from engine.study import Study
from pages.shared import state, words

WAITING, RUNNING, DONE, CANCELLED, FAILED = "waiting", "running", "done", "cancelled", "failed"
SURE_AFTER = 3  # folds, before a time left is said
LONG_ENOUGH = 10.0  # seconds, after which one fold is enough: five long ones would be half over by the third
CLOSED_AFTER = 120.0  # seconds without its reader, who may come back that long, then the work ends
Progress = Callable[[Study], None]
Cancel = Callable[[], bool]
Work = Callable[[Progress, Cancel], Study]
_numbers = itertools.count(1)


@dataclass
class Job:
    """One piece of long work, done in a thread of its own.

    `study` holds the results so far, `before` how many of them there were at the start; `page` is where it belongs,
    `number` tells it from every other job, `key` is what its results depend on.
    """

    kind: str
    title: str
    page: str
    work: Work
    state: str = WAITING
    study: Study | None = None
    before: int = 0
    sentence: str = ""
    began: float | None = None
    stop: threading.Event = field(default_factory=threading.Event)
    thread: threading.Thread | None = None
    seen: bool = False
    key: str = ""
    number: int = field(default_factory=lambda: next(_numbers))

    @property
    def active(self) -> bool:
        """Whether it is still to be done, or being done."""
        return self.state in (WAITING, RUNNING)

    @property
    def folds(self) -> tuple[int, int]:
        """How many training parts all models have been through, and how many there are."""
        if self.study is None:
            return 0, 0
        counts: dict[int, int] = {}
        for result in self.study.results:
            counts[result.split] = counts.get(result.split, 0) + 1
        whole = len(self.study.models) * len(self.study.levels)
        return sum(n == whole for n in counts.values()), self.study.n_splits

    @property
    def part(self) -> float:
        """The part that is done, 0 to 1."""
        return 0.0 if self.study is None or not self.study.n_total else self.study.n_done / self.study.n_total

    def seconds_left(self) -> float | None:
        """Return about how long it will take yet, None before enough folds of this run are done to say."""
        if self.study is None or self.began is None:
            return None
        fresh = self.study.n_done - self.before
        a_fold = max(1, (self.study.n_total - self.before) / max(1, self.study.n_splits))
        spent = time.monotonic() - self.began
        if fresh < (1 if spent > LONG_ENOUGH else SURE_AFTER) * a_fold:
            return None
        return spent / fresh * (self.study.n_total - self.study.n_done)


class Jobs:
    """The long work of one session: at most one job of a kind, one at work at a time, the others waiting for it."""

    def __init__(self, reader_is_there: Callable[[], bool]) -> None:
        self.by_kind: dict[str, Job] = {}
        self._turn = threading.Lock()
        self._there = reader_is_there

    def start(
        self, kind: str, title: str, page: str, work: Work, so_far: Study | None = None, key: str = ""
    ) -> Job:
        """Begin a piece of work in a thread; one of the same kind that is still at work is cancelled first.

        `so_far` are the results it takes up, `key` what they depend on.
        """
        self.cancel(kind)
        before = 0 if so_far is None else so_far.n_done
        job = Job(kind, title, page, work, study=so_far, before=before, key=key)
        job.thread = threading.Thread(target=self._run, args=(job,), name=f"penumbra {kind}", daemon=True)
        self.by_kind[kind] = job
        job.thread.start()
        return job

    def again(self, kind: str) -> Job:
        """Begin a piece of work that failed once more."""
        old = self.by_kind[kind]
        return self.start(kind, old.title, old.page, old.work, old.study, old.key)

    def hold(self, kind: str, title: str, page: str, work: Work, study: Study) -> Job:
        """Put results here that were kept in a file, as if their work had just been cancelled or done."""
        self.cancel(kind)
        job = Job(kind, title, page, work, DONE if study.complete else CANCELLED, study, study.n_done, seen=True)
        self.by_kind[kind] = job
        return job

    def cancel(self, kind: str) -> None:
        """Ask a piece of work to end after the fold it is at."""
        if (job := self.by_kind.get(kind)) is not None:
            job.stop.set()

    def of(self, kind: str) -> Job | None:
        return self.by_kind.get(kind)

    def forget(self, kind: str) -> None:
        """Cancel a piece of work and drop what it found."""
        self.cancel(kind)
        self.by_kind.pop(kind, None)

    def active(self) -> list[Job]:
        """Return what is at work or waits, in the order begun."""
        return [job for job in self.by_kind.values() if job.active]

    def unseen(self) -> list[Job]:
        """Return what has ended since the reader last looked."""
        return [job for job in self.by_kind.values() if not job.active and not job.seen]

    def _run(self, job: Job) -> None:
        left = time.monotonic()

        def cancelled() -> bool:
            nonlocal left
            if self._there():
                left = time.monotonic()
            return job.stop.is_set() or time.monotonic() - left > CLOSED_AFTER

        def counted(study: Study) -> None:
            job.study = study

        with self._turn:
            if cancelled():
                job.state = CANCELLED
                return
            job.state, job.began = RUNNING, time.monotonic()
            try:
                job.study = job.work(counted, cancelled)
                job.state = DONE if job.study.complete else CANCELLED
            except PenumbraError as error:
                job.sentence, job.state = str(error), FAILED
            except Exception as error:  # of a kind nobody foresaw: no patient's value may stand in a log
                logging.getLogger("penumbra").error("unforeseen %s in work of kind %s", type(error).__name__, job.kind)
                job.sentence, job.state = words.UNEXPECTED, FAILED


def of_before(job: Job | None, standing: Study | None) -> bool:
    """Return whether work goes on whose results, `standing` of the present data and settings, hold no longer."""
    return job is not None and job.active and job.study is not None and job.study.n_done > 0 and standing is None


def jobs() -> Jobs:
    """Return this session's own jobs."""
    found: Jobs = state.own_jobs(lambda: Jobs(reader_of_this_session()))
    return found


def reader_of_this_session() -> Callable[[], bool]:
    """Return a way to ask, from any thread, whether the browser of this session is still connected."""
    context = get_script_run_ctx(suppress_warning=True)
    session: Any = None if context is None else context.session_id

    def there() -> bool:
        if session is None or not runtime.exists():
            return True
        return bool(runtime.get_instance().is_active_session(session))

    return there
