"""Long work of a session: progress, time left, cancelled between folds, failures in a sentence, the reader gone.

In: small studies, and work that fails. Out: the state of the job and its thread.
"""

from __future__ import annotations

import threading
import time
from dataclasses import replace

import numpy as np
import pytest

from engine.errors import PenumbraError
from engine.study import cross_validate
from pages.shared import compare_words, jobs, words
from pages.shared.jobs import CANCELLED, DONE, FAILED, Jobs

PATIENTS = np.random.default_rng(1).normal(size=(60, 2))
LABELS = list(np.where(PATIENTS[:, 0] > 0, "ill", "well"))


def work(folds=4, pause=0.0, resume=None, models=("CART",)):
    def run(progress, cancel):
        def counted(study):
            time.sleep(pause)
            progress(study)

        named = {name: name for name in models}
        return cross_validate(PATIENTS, LABELS, named, folds, progress=counted, cancel=cancel, resume=resume)

    return run


def ended(job, seconds=60):
    job.thread.join(seconds)
    assert not job.thread.is_alive()
    return job


def until(true, seconds=60):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_work_runs_to_its_end_off_the_thread_that_began_it():
    own = Jobs(lambda: True)
    job = own.start("compare", "CART", "compare", work())
    assert job.thread is not threading.current_thread()
    ended(job)
    assert (job.state, job.study.complete, job.folds, job.part) == (DONE, True, (4, 4), 1.0)
    assert own.active() == []
    assert own.unseen() == [job]


def test_it_is_cancelled_between_folds_and_goes_on_from_there():
    own = Jobs(lambda: True)
    job = own.start("compare", "CART", "compare", work(8, 0.05))
    until(lambda: job.study is not None and job.study.n_done >= 2)
    own.cancel("compare")
    ended(job)
    assert job.state == CANCELLED
    done = job.study.n_done
    assert 2 <= done < 8
    again = ended(own.start("compare", "CART", "compare", work(8, resume=job.study), job.study))
    assert again.state == DONE
    assert again.before == done
    whole = cross_validate(PATIENTS, LABELS, {"CART": "CART"}, 8)
    for a, b in zip(again.study.results, whole.results, strict=True):
        np.testing.assert_array_equal(a.probability, b.probability)


def test_work_is_of_before_while_it_goes_on_and_none_of_its_results_stand():
    own = Jobs(lambda: True)
    job = own.start("compare", "CART", "compare", work(6, 0.1))
    until(lambda: job.study is not None and job.study.n_done >= 1)
    assert jobs.of_before(job, None)
    assert not jobs.of_before(job, job.study)
    ended(job)
    assert not jobs.of_before(job, None)
    assert not jobs.of_before(None, None)


def test_no_time_left_is_told_before_three_folds_of_this_run():
    own = Jobs(lambda: True)
    job = own.start("compare", "CART", "compare", work(6, 0.1))
    until(lambda: job.study is not None and job.study.n_done >= 1)
    if job.study.n_done < 3:
        assert job.seconds_left() is None
    until(lambda: job.study.n_done >= 4)
    assert 0.0 <= job.seconds_left() < 60.0
    ended(job)
    assert "after a few folds" in compare_words.time_left(None)
    job.study, job.before, job.began = replace(job.study, results=job.study.results[:1]), 0, time.monotonic() - 11.0
    assert 54.0 < job.seconds_left() < 60.0
    assert compare_words.time_left(34.0) == "About 35 s left."
    assert compare_words.time_left(100.0) == "About 2 minutes left."


def test_a_failure_is_one_sentence_and_can_be_tried_again(caplog):
    own, asked = Jobs(lambda: True), []

    def fails(progress, cancel):
        asked.append(1)
        if len(asked) == 1:
            raise PenumbraError("Three patients are too few.")
        if len(asked) == 2:
            raise ValueError("glucose of Mrs. Smith is 142")
        return work()(progress, cancel)

    job = ended(own.start("compare", "CART", "compare", fails))
    assert (job.state, job.sentence) == (FAILED, "Three patients are too few.")
    job = ended(own.again("compare"))
    assert (job.state, job.sentence) == (FAILED, words.UNEXPECTED)
    assert "Smith" not in caplog.text
    assert "ValueError" in caplog.text
    assert ended(own.again("compare")).state == DONE


def test_one_at_a_time_and_the_other_waits():
    own = Jobs(lambda: True)
    first = own.start("training", "CART", "robustness", work(6, 0.05))
    until(lambda: first.state == jobs.RUNNING)
    second = own.start("test", "CART", "robustness", work(3))
    assert second.state == jobs.WAITING
    assert own.active() == [first, second]
    ended(first)
    assert ended(second).state == DONE


def test_a_waiting_one_can_be_cancelled_and_a_new_one_of_the_kind_takes_its_place():
    own = Jobs(lambda: True)
    first = own.start("training", "CART", "robustness", work(8, 0.05))
    until(lambda: first.state == jobs.RUNNING)
    waiting = own.start("test", "CART", "robustness", work(3))
    own.cancel("test")
    newer = own.start("training", "CART", "robustness", work(2))
    ended(first)
    assert first.state == CANCELLED
    assert ended(waiting).state == CANCELLED
    assert ended(newer).state == DONE
    assert own.of("training") is newer


def test_the_work_of_a_reader_who_is_gone_ends(monkeypatch):
    monkeypatch.setattr(jobs, "CLOSED_AFTER", 0.2)
    here = [True]
    own = Jobs(lambda: here[0])
    job = own.start("compare", "CART", "compare", work(30, 0.05))
    until(lambda: job.study is not None and job.study.n_done >= 2)
    here[0] = False
    ended(job, 20)
    assert job.state == CANCELLED
    assert job.study.n_done < 30


def test_results_from_a_file_stand_here_as_if_just_cancelled():
    own = Jobs(lambda: True)
    whole = cross_validate(PATIENTS, LABELS, {"CART": "CART"}, 4)
    held = own.hold("compare", "CART", "compare", work(), whole)
    assert held.state == DONE
    assert own.unseen() == []
    own.forget("compare")
    assert own.of("compare") is None


def test_sessions_do_not_share_their_work():
    assert Jobs(lambda: True).by_kind is not Jobs(lambda: True).by_kind
    with pytest.raises(KeyError):
        Jobs(lambda: True).again("compare")
