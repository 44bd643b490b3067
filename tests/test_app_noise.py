"""The Noise page: σ in every form changes the tree, factors, the table of σ up and down.

In: clicks and figures. Out: what the page says and what the engine then holds.
"""

from __future__ import annotations

import numpy as np
import pytest
from screens import clinic, heading, open_page, sound, text, upload, whole

from engine.errors import PenumbraError
from engine.noise_table import FORMS, Stated, from_csv, to_csv, to_noise
from engine.schema import read_schema


def kept_models(at):
    return [each.model for each in at.session_state["penumbra_kept"]["fitted"].values()]


def uploaded_noise():
    at = upload(clinic())
    return open_page("noise", at)


def test_cold_link_shows_the_example_with_its_noise():
    at = open_page("noise")
    sound(at)
    assert "near a threshold" in heading(at)
    assert at.selectbox(key="form_Ejection fraction").value == "sd"
    assert at.number_input(key="value_Ejection fraction").value == 5.0


def test_an_upload_is_exact_until_stated_otherwise():
    at = uploaded_noise()
    sound(at)
    assert heading(at) == "Nothing is uncertain yet"
    assert at.selectbox(key="form_Glucose (mg/dL)").value == "exact"


def test_a_stated_sigma_changes_the_tree():
    at = uploaded_noise()
    before = kept_models(at)[-1].tree_.threshold[0]
    at.selectbox(key="form_Glucose (mg/dL)").select("sd").run()
    at.number_input(key="value_Glucose (mg/dL)").set_value(12.0).run()
    sound(at)
    after = kept_models(at)[-1]
    assert after.noise_search_.sigma[0] == 12.0
    assert after.tree_.threshold[0] != before
    assert "Glucose noise puts" in heading(at)


@pytest.mark.parametrize("form", [form for form in FORMS if form not in ("exact", "misrecord")])
def test_every_form_is_what_the_engine_resolves(form):
    at = uploaded_noise()
    at.selectbox(key="form_Glucose (mg/dL)").select(form).run()
    if form in ("sd", "sd+cv"):
        at.number_input(key="value_Glucose (mg/dL)").set_value(6.0).run()
    if form != "sd":
        at.number_input(key="percent_Glucose (mg/dL)").set_value(5.0).run()
    sound(at)
    found = list(at.session_state["penumbra_kept"]["fitted"].values())[-1]
    x = found.values[:, 0]
    wanted = {
        "sd": 6.0,
        "of_mean": 0.05 * x.mean(),
        "of_sd": 0.05 * x.std(),
        "of_range": 0.05 * np.ptp(x),
        "cv": 0.05 * 100.0,
        "sd+cv": np.hypot(6.0, 0.05 * 100.0),
    }[form]
    assert found.noise.at(0, 100.0) == pytest.approx(wanted)


def test_a_category_has_misrecording_only():
    at = uploaded_noise()
    assert at.selectbox(key="form_smoker").options == ["exact", "misrecorded, %"]
    at.selectbox(key="form_smoker").select("misrecord").run()
    at.number_input(key="percent_smoker").set_value(10.0).run()
    sound(at)
    assert kept_models(at)[-1].noise_search_.misrecord[2] == pytest.approx(0.1)


def test_one_factor_scales_all_and_each_use_has_its_own():
    at = open_page("noise")
    at.slider(key="factor").set_value(2.0).run()
    at.number_input(key="factor_u_e").set_value(0.5).run()
    sound(at)
    model = kept_models(at)[-1]
    assert (model.u_s, model.u_p, model.u_e) == (2.0, 2.0, 1.0)
    assert model.noise_search_.sigma[2] == 10.0
    assert model.noise_evaluation_.sigma[2] == 5.0


def test_the_same_sigma_for_all():
    at = uploaded_noise()
    at.number_input(key="all_value").set_value(10.0).run()
    at.button(key="apply_all").click().run()
    sound(at)
    noise = kept_models(at)[-1].noise_search_
    assert (noise.sigma[:2] > 0).all()
    assert noise.sigma[2] == 0


def test_choices_survive_a_page_change():
    at = open_page("noise")
    at.number_input(key="value_Ejection fraction").set_value(7.5).run()
    open_page("tree", at)
    open_page("noise", at)
    assert at.number_input(key="value_Ejection fraction").value == 7.5
    assert "± 7.5 %" in text(open_page("noise", at)) or at.session_state["penumbra_choices"].sigma[
        "Ejection fraction"
    ] == Stated("sd", 7.5, source=at.session_state["penumbra_choices"].sigma["Ejection fraction"].source)


def test_the_table_of_sigma_comes_back_as_it_went():
    stated = {
        "a": Stated("sd", 8.0, shape="laplace", source="=our lab, 2020"),
        "b": Stated("sd+cv", 1.5, 4.0),
        "c": Stated("misrecord", percent=3.0),
    }
    read, problems = from_csv(
        to_csv(stated, ["a", "b", "c", "d"], {"a": "mg/dL"}).encode(), {"a": 1, "b": 1, "c": 0, "d": 1}
    )
    assert problems == []
    assert read == stated | {"d": Stated()}


def test_what_cannot_be_used_of_a_table_is_said():
    lines = "variable;form;value\na;sd;1,5\nb;sd;x\nq;sd;1\nc;sd;1\na2;guess;1\n"
    read, problems = from_csv(lines.encode(), {"a": True, "b": True, "c": False, "a2": True})
    assert read == {"a": Stated("sd", 1.5)}
    assert len(problems) == 4
    with pytest.raises(PenumbraError, match="variable or form"):
        from_csv(b"x,y\n1,2\n", {"a": True})
    with pytest.raises(PenumbraError, match="UTF-8"):
        from_csv(b"\xff\xfe\x00", {"a": True})


def test_a_table_of_sigma_is_the_noise_model_it_says():
    import pandas as pd

    frame = pd.DataFrame({"a": [1.0, 3.0], "c": ["x", "y"]})
    noise = to_noise({"a": Stated("of_mean", percent=10.0, shape="logistic"), "c": Stated("misrecord", percent=5.0)})
    schema = read_schema(frame)
    resolved = noise.resolve(schema, np.ascontiguousarray(schema.encode(frame).T))
    assert resolved.sigma[0] == pytest.approx(0.2)
    assert resolved.misrecord[1] == pytest.approx(0.05)


def test_a_sigma_that_is_refused_keeps_its_own_control():
    rows = "".join(f"{(-1) ** i * (1 + i // 2)}.0,{i % 7}.5,{'xy'[i % 2]}\n" for i in range(40))
    at = open_page("noise", upload(f"around zero,v,class\n{rows}".encode()))
    at.selectbox(key="form_around zero").select("of_mean").run()
    at.number_input(key="percent_around zero").set_value(5.0).run()
    whole(at)
    if at.error:
        assert heading(at) == "No tree can be fitted with this σ"
        assert not at.button(key="undo").disabled
        at.selectbox(key="form_around zero").select("exact").run()
        sound(at)


def test_misrecording_stops_at_all():
    at = uploaded_noise()
    at.selectbox(key="form_smoker").select("misrecord").run()
    assert at.number_input(key="percent_smoker").max == 100.0


def test_a_sigma_that_no_longer_fits_its_role_is_put_aside_and_said():
    at = uploaded_noise()
    at.selectbox(key="form_BMI (kg/m²)").select("sd").run()
    at.number_input(key="value_BMI (kg/m²)").set_value(1.0).run()
    open_page("data", at)
    at.selectbox(key="role_BMI (kg/m²)").select("nominal").run()
    open_page("noise", at)
    sound(at)
    assert "does not fit the present role" in at.warning[0].value
    assert at.selectbox(key="form_BMI (kg/m²)").value == "exact"


def test_every_source_can_be_reached():
    names = [f"v{j}" for j in range(25)]
    rows = "\n".join(",".join(f"{(i * 7 + j * 3) % 11}.5" for j in range(25)) + f",{'xy'[i % 2]}" for i in range(40))
    at = open_page("noise", upload((",".join([*names, "class"]) + "\n" + rows).encode()))
    at.button(key="apply_all").click().run()
    seen = {each.key for each in at.text_area}
    at.session_state["sources_page"] = 2
    at.run()
    sound(at)
    assert seen | {each.key for each in at.text_area} == {f"source_{name}" for name in names}


def test_a_source_that_is_typed_stays_where_it_was_typed():
    at = open_page("noise")
    at.text_area(key="source_Ejection fraction").set_value("Our own repeats").run()
    sound(at)
    assert at.text_area(key="source_Ejection fraction").value == "Our own repeats"
