"""The games of the family, by key. Add a new one at the end: posted components refer to variants by their index."""

from rules.position import Variant
from rules.variants.cam import CAM
from rules.variants.cam_3d import CAM_3D
from rules.variants.camelot import CAMELOT
from rules.variants.camette import CAMETTE
from rules.variants.chivalry import CHIVALRY
from rules.variants.tri_camelot import TRI_CAMELOT

VARIANTS: dict[str, Variant] = {
    variant.key: variant for variant in (TRI_CAMELOT, CAM_3D, CAMELOT, CHIVALRY, CAM, CAMETTE)
}
